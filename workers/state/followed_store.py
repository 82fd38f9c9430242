"""How far the partitions of a topic were read, stored beside what was read of them."""

import threading
from abc import ABC, abstractmethod
from typing import ClassVar

from workers.state.database import Database
from workers.state.rocks import Batch

_LOG = b"log"


class FollowedStore(ABC):
    """A store that holds what a topic says, with the offsets up to which it was read.

    It is safe to use from several threads. Every method blocks its thread, so an event loop must call it from
    another thread, for instance with `asyncio.to_thread`.
    """

    _format: ClassVar[int]
    """Version of the records of the topic: a version with a newer one reads the topic again."""
    families: ClassVar[tuple[str, ...]]
    """The families of the database; offsets are in `offsets`."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._lock = threading.Lock()

    def close(self) -> None:
        """Write what is in memory to disk, and release the database."""
        with self._lock:
            self._db.close()

    def clear(self) -> None:
        """Forget everything, and how far the topic was read."""
        with self._lock:
            batch = Batch()
            for family in self.families:
                for key, _ in self._db.scan(family):
                    batch.delete(family, key)
            self._db.write(batch)
            self._forget_memory()

    @abstractmethod
    def _forget_memory(self) -> None:
        """Forget what is kept in memory of the database."""

    @abstractmethod
    def put(self, key: str, value: bytes | None, partition: int, offset: int) -> None:
        """Store a record of the topic that was read at an offset; the value None means to forget its key.

        Raises:
            SchemaError: The value is not a record of a known format.
        """

    def skip(self, partition: int, offset: int) -> None:
        """Move past a record of the topic that changes nothing."""
        with self._lock:
            self._write_next(Batch(), partition, offset)

    def _write_next(self, batch: Batch, partition: int, offset: int) -> None:
        batch.put("offsets", self._offset_key(partition), (offset + 1).to_bytes(8, "big"))
        self._db.write(batch)

    def next_offset(self, partition: int) -> int:
        """Return the offset of the topic at which reading goes on."""
        with self._lock:
            stored = self._db.get("offsets", self._offset_key(partition))
        return int.from_bytes(stored, "big") if stored else 0

    def log_mark(self, partition: int) -> bytes | None:
        """Return the mark of the log that `next_offset` is of; None where it was never set."""
        with self._lock:
            return self._db.get("offsets", _LOG + self._offset_key(partition))

    def mark_log(self, partition: int, mark: bytes) -> None:
        """Set the mark of the log that `next_offset` is of."""
        with self._lock:
            self._db.put("offsets", _LOG + self._offset_key(partition), mark)

    def _offset_key(self, partition: int) -> bytes:
        return bytes([self._format]) + partition.to_bytes(4, "big")
