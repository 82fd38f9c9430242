"""A store that knows its position in the log that it follows."""

from workers.state.database import Database
from workers.state.rocks import Batch

_NEXT, _LOG = b"next", b"log"


class PositionedStore:
    """A store that notes, with what it writes, the offset behind the last record, and which logs it has read."""

    def __init__(self, database: Database) -> None:
        """Read the offset from a database, which must have the column family `meta`."""
        self._db = database
        self.next_offset = int.from_bytes(database.get("meta", _NEXT) or b"", "big")
        """Offset of the first record that has not been stored."""

    def log_mark(self, topic: str) -> bytes | None:
        """Return the mark of the log of a topic that the store has read, or None before any."""
        return self._db.get("meta", _LOG + topic.encode())

    def mark_log(self, topic: str, mark: bytes) -> None:
        """Set the mark of the log of a topic that the store reads."""
        self._db.put("meta", _LOG + topic.encode(), mark)

    def _write_next(self, batch: Batch, offset: int | None) -> None:
        """Write a batch with the offset behind its record."""
        if offset is not None:
            batch.put("meta", _NEXT, (offset + 1).to_bytes(8, "big"))
        self._db.write(batch)
        if offset is not None:
            self.next_offset = offset + 1
