"""The operations that the stores need of a database, on disk or in memory."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import zstandard

from schemas.codec import SchemaError
from templ_core.errors import CodecError
from workers.errors import StateProblem
from workers.state.batch import Batch
from workers.state.memory import MemoryDatabase
from workers.state.rocks import CACHE_BYTES, RocksDatabase

T = TypeVar("T")

DatabaseEntry = tuple[str, bytes, bytes]
"""Family, key and value of one entry of a database."""


_TO_REWRITE = b"\xfe to be rewritten"
"""Key of the note that files may still hold bytes of what was erased."""


class Database(Protocol):
    """Named families of ordered keys, where keys and values are bytes.

    Every method blocks its thread until the database has answered. Code that runs on an event loop
    calls them from a thread, for instance with `asyncio.to_thread`. Every method but `damaged` raises
    `DamagedStore` where it comes upon damage, and so does every later opening.
    """

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value of a key, or None when there is none."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value."""

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield keys that start with `prefix` and their values, in ascending order of the keys."""

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys that start with `prefix` and their values, in descending order of the keys.

        `prefix` must not be empty or end with the byte 255.
        """

    def write(self, batch: Batch) -> None:
        """Apply a batch, either all of its changes or none."""

    def rewrite(self) -> None:
        """Write all files anew, so that none of them holds a byte of what was deleted.

        No other thread may use the database meanwhile.
        """

    def damaged(self, reason: str) -> StateProblem:
        """Mark the database as damaged for all who open it later, and return the error to raise."""

    def close(self) -> None:
        """Release the database."""


def open_database(
    path: Path | None, families: tuple[str, ...], cache_bytes: int = CACHE_BYTES
) -> Database:
    """Open the database at `path`, and create it when it does not exist.

    Args:
        path: Directory of the database; None means a database in memory.
        families: Names of its families.
        cache_bytes: Size of its cache, which databases on disk of the same size share.

    Raises:
        OtherFormat: The database has other families.
        DamagedStore: The database is damaged.
        DiskProblem: The disk is full or fails.
        StateProblem: The database is in use or not writable.
    """
    if path is None:
        return MemoryDatabase(families)
    return RocksDatabase(path, families, cache_bytes)


@contextmanager
def stored_values(database: Database) -> Iterator[None]:
    """Have values of a database that cannot be decoded inside the context count as its damage.

    Raises:
        StateProblem: A value cannot be decoded.
    """
    try:
        yield
    except (SchemaError, CodecError, msgspec.DecodeError, zstandard.ZstdError) as error:
        raise _undecodable(database, error) from None


def decode_stored(database: Database, value: bytes, kind: type[T]) -> T:
    """Return a value of a database that is stored as MessagePack.

    Raises:
        StateProblem: It cannot be decoded, which counts as damage of the database.
    """
    try:
        return msgspec.msgpack.decode(value, type=kind)
    except msgspec.DecodeError as error:
        raise _undecodable(database, error) from None


def _undecodable(database: Database, error: Exception) -> StateProblem:
    return database.damaged(f"a stored value cannot be decoded: {error}")


def entries_of(database: Database, families: tuple[str, ...]) -> Iterator[DatabaseEntry]:
    """Yield all entries of the given families of a database."""
    for family in families:
        for key, value in database.scan(family):
            yield family, key, value


def erase_site(database: Database, families: tuple[str, ...], site: str) -> bool:
    """Delete all entries of a site, and write all files anew; return whether there was anything to do.

    A call that was interrupted is completed by the next one. Keys of a site are the site itself, the site with a byte 255 before it, or begin with the site and a
    byte 0. No other thread may use the database meanwhile.

    Args:
        database: The database.
        families: Names of its families; the last one holds notes.
        site: Site key.
    """
    own, batch, notes = site.encode(), Batch(), families[-1]
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
    done = Batch()
    done.delete(notes, _TO_REWRITE)
    database.write(done)
    return True


def put_entries(database: Database, entries: Iterable[DatabaseEntry]) -> None:
    """Write the entries of another database into this one."""
    for family, key, value in entries:
        database.put(family, key, value)
