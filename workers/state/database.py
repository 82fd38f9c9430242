"""The operations that the stores need of a database, on disk or in memory."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

import msgspec
import zstandard
from sortedcontainers import SortedDict

from schemas.codec import SchemaError
from templ_core.errors import CodecError
from workers.errors import StateProblem
from workers.state.rocks import CACHE_BYTES, Batch, RocksDatabase

T = TypeVar("T")

DatabaseEntry = tuple[str, bytes, bytes]
"""Family, key and value of one entry of a database."""
_TO_REWRITE = b"\xfe to be rewritten"
"""Key of the note that files may still hold bytes of what was erased."""


class MemoryDatabase:
    """The operations of `RocksDatabase` on families in memory, for use by one thread at a time."""

    def __init__(self, families: tuple[str, ...]) -> None:
        self._families: dict[str, SortedDict] = {name: SortedDict() for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
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


Database = RocksDatabase | MemoryDatabase
"""Named families of ordered keys, where keys and values are bytes.

Every method blocks its thread until the database has answered. Code that runs on an event loop
calls them from a thread, for instance with `asyncio.to_thread`.
"""


def open_database(
    path: Path | None, families: tuple[str, ...], cache_bytes: int = CACHE_BYTES
) -> Database:
    """Return the database of a directory, see `RocksDatabase`, or one in memory for the path None."""
    return MemoryDatabase(families) if path is None else RocksDatabase(path, families, cache_bytes)


@contextmanager
def stored_values(database: Database) -> Iterator[None]:
    """Have values of a database that cannot be decoded inside the context count as its damage.

    Raises:
        StateProblem: A value cannot be decoded.
    """
    try:
        yield
    except (SchemaError, CodecError, msgspec.DecodeError, zstandard.ZstdError) as error:
        raise database.damaged(f"a stored value cannot be decoded: {error}") from None


def decode_stored(database: Database, value: bytes, kind: type[T]) -> T:
    """Return a value of a database that is stored as MessagePack.

    Raises:
        StateProblem: It cannot be decoded, which counts as damage of the database.
    """
    with stored_values(database):
        return msgspec.msgpack.decode(value, type=kind)


def erase_site(
    database: Database, families: tuple[str, ...], site: str, further: Batch | None = None
) -> bool:
    """Delete all entries of a site with `further` changes, and rewrite all files; return whether there was anything to do.

    A call that was interrupted is completed by the next one. Keys of a site are the site itself, the site with
    a byte 255 before it, or begin with the site and a byte 0. The last family holds notes. No other thread may
    use the database meanwhile.
    """
    own, batch, notes = site.encode(), further or Batch(), families[-1]
    for family in families:
        keys = [key for key in (own, b"\xff" + own) if database.get(family, key) is not None]
        keys += [key for key, _ in database.scan(family, own + b"\0")]
        for key in keys:
            batch.delete(family, key)
    if batch.changes:
        batch.put(notes, _TO_REWRITE, b"")
        database.write(batch)
    elif database.get(notes, _TO_REWRITE) is None:
        return False
    database.rewrite()
    delete_keys(database, notes, [_TO_REWRITE])
    return True


def delete_keys(database: Database, family: str, keys: Iterable[bytes]) -> None:
    """Delete keys of one family in one batch."""
    batch = Batch()
    for key in keys:
        batch.delete(family, key)
    database.write(batch)
