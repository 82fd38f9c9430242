"""What the stores ask of a database: named families of ordered keys, and atomic batches."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from workers.state.memory import MemoryDatabase
from workers.state.rocks import RocksDatabase

Entry = tuple[str, bytes, bytes]
"""Family, key and value."""


class Batch(Protocol):
    """Changes that are written together or not at all."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set a value."""

    def delete(self, family: str, key: bytes) -> None:
        """Remove a key, there or not."""


class Database(Protocol):
    """A database with named families; keys and values are bytes."""

    def get(self, family: str, key: bytes) -> bytes | None:
        """The value of `key`; None when there is none."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value."""

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Entries whose key starts with `prefix`, in order of the keys."""

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The same from the last to the first; `prefix` does not end with the byte 255."""

    def batch(self) -> Any:
        """An empty `Batch`, for `write` of the same database."""

    def write(self, batch: Any) -> None:
        """Apply a batch."""

    def close(self) -> None:
        """Let the database go."""


def open_database(path: Path | None, families: tuple[str, ...]) -> Database:
    """The database at `path`, made if it is not there; None = one in memory.

    Raises:
        StateProblem: in use, damaged or not writable.
    """
    return MemoryDatabase(families) if path is None else RocksDatabase(path, families)


def entries_of(database: Database, families: tuple[str, ...]) -> Iterator[Entry]:
    """All entries of a database."""
    for family in families:
        for key, value in database.scan(family):
            yield family, key, value


def put_entries(database: Database, entries: Iterable[Entry]) -> None:
    """Take over the entries of another database."""
    for family, key, value in entries:
        database.put(family, key, value)
