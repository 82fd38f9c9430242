"""A database in memory, with the verbs of the one on disk; for one thread."""

from collections.abc import Iterator
from itertools import takewhile

from sortedcontainers import SortedDict


class MemoryBatch:
    """Changes that are written together."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, bytes, bytes | None]] = []

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set a value."""
        self.changes.append((family, key, value))

    def delete(self, family: str, key: bytes) -> None:
        """Remove a key, there or not."""
        self.changes.append((family, key, None))


class MemoryDatabase:
    """Named families of ordered keys; keys and values are bytes."""

    def __init__(self, families: tuple[str, ...]) -> None:
        self._families: dict[str, SortedDict] = {name: SortedDict() for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """The value of `key`; None when there is none."""
        return self._families[family].get(key)

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value."""
        self._families[family][key] = value

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Entries whose key starts with `prefix` as they are now, in order of the keys."""
        entries = self._families[family]
        from_prefix = entries.irange(minimum=prefix)
        keys = list(takewhile(lambda key: key.startswith(prefix), from_prefix))
        return ((key, entries[key]) for key in keys if key in entries)

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The same from the last to the first; `prefix` does not end with the byte 255."""
        return reversed(list(self.scan(family, prefix)))

    def batch(self) -> MemoryBatch:
        """An empty batch."""
        return MemoryBatch()

    def write(self, batch: MemoryBatch) -> None:
        """Apply a batch."""
        for family, key, value in batch.changes:
            if value is None:
                self._families[family].pop(key, None)
            else:
                self._families[family][key] = value

    def close(self) -> None:
        """Nothing to let go."""
