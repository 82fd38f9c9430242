"""What every index of cleaned records offers to its writers."""

from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from workers.log_lines import counted


class LogPlace(NamedTuple):
    """The place of a record in a log of Kafka."""

    topic: str
    partition: int
    offset: int


class LogPosition(NamedTuple):
    """How far a partition was read."""

    next_offset: int = 0
    mark: bytes | None = None
    """What tells the log from a later one of the same name."""


class IndexCounts(msgspec.Struct):
    """What became of records."""

    written: int = 0
    """Texts that are new in the index, or new for their URL."""
    deleted: int = 0
    unchanged: int = 0
    """Records that the index knew already, or that are older than what it knows."""
    refused: int = 0
    """Records that a search server does not take."""

    def __str__(self) -> str:
        refused = f", {self.refused} refused" if self.refused else ""
        return (
            f"{counted(self.written, 'text')} written, {self.deleted} deleted, {self.unchanged} unchanged"
            f"{refused}"
        )


class CleanedIndex(Protocol):
    """An index that is open for writing; it knows how far each partition of a topic was read."""

    name: str
    """Name of the index for messages."""
    counts: IndexCounts

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all changes inside the block before any position that is noted there.

        Raises:
            WorkerError: The index cannot be written.
        """

    def apply(self, record: CleanedRecord | DeletedRecord, place: LogPlace | None = None) -> None:
        """Apply a record inside a transaction; what the index knows already changes nothing.

        Args:
            record: The text of a page, or a deletion. A deletion without a time always applies.
            place: Where the record stands in a log of Kafka; None for a record of a file.
        """

    def position(self, topic: str, partition: int) -> LogPosition:
        """Return how far a partition was read."""

    def move(self, topic: str, partition: int, next_offset: int) -> None:
        """Note inside a transaction how far a partition was read."""

    def mark(self, topic: str, partition: int, mark: bytes) -> None:
        """Note inside a transaction which log a partition's offsets belong to."""

    def read_anew(self, topic: str, partition: int, until: int) -> None:
        """Prepare, inside a transaction, for reading a partition again from its start.

        Args:
            topic: Name of the topic.
            partition: The partition.
            until: End offset of the partition. When it is reached, texts of which the partition has no
                record any more are deleted.

        Raises:
            StateProblem: This index cannot find out what was deleted.
        """

    def text_count(self) -> int:
        """Return the number of URLs that have a text."""
