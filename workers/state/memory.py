"""A database in memory with the operations of the one on disk."""

from collections.abc import Iterator
from itertools import takewhile

from sortedcontainers import SortedDict

from workers.errors import StateProblem
from workers.state.batch import Batch


class MemoryDatabase:
    """Named families of ordered keys in memory, for use by one thread at a time."""

    def __init__(self, families: tuple[str, ...]) -> None:
        self._families: dict[str, SortedDict] = {name: SortedDict() for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value of a key, or None when there is none."""
        value: bytes | None = self._families[family].get(key)
        return value

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value."""
        self._families[family][key] = value

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Return keys that start with `prefix` and their values, in ascending order of the keys.

        Keys that are added after the call are not part of the result.
        """
        entries = self._families[family]
        from_prefix = entries.irange(minimum=prefix)
        keys = list(takewhile(lambda key: key.startswith(prefix), from_prefix))
        return ((key, entries[key]) for key in keys if key in entries)

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return keys that start with `prefix` and their values, in descending order of the keys."""
        return reversed(list(self.scan(family, prefix)))

    def write(self, batch: Batch) -> None:
        """Apply a batch."""
        for family, key, value in batch.changes:
            if value is None:
                self._families[family].pop(key, None)
            else:
                self._families[family][key] = value

    def rewrite(self) -> None:
        """Do nothing, because what was deleted is not held in memory."""

    def damaged(self, reason: str) -> StateProblem:
        """Return the error to raise where entries contradict each other."""
        return StateProblem(f"what is kept in memory is inconsistent: {reason}")

    def close(self) -> None:
        """Do nothing, because memory needs no release."""
