"""Makes aiokafka's consumers, faust's among them, read fetched records within bounded memory.

They also note of which leader each fetched batch is, and which offsets at the end hold no record.
"""

from typing import Any

from aiokafka.consumer import fetcher

from workers.kafka.broker.empty_tails import EMPTY_TAILS
from workers.kafka.broker.fetched_epochs import FETCHED
from workers.kafka.broker.record_batch import FetchedRecords, RefusedValue

_TAKEN_BYTES = 32 << 20
"""Size of values at which a consumer is given no further record of a partition at once."""


class _BoundedResult(fetcher.FetchResult):  # type: ignore[misc]
    """The fetched records of a partition, of which a bounded number of bytes is taken at once.

    A refused record is the last of its take: the event loop can send heartbeats before the next
    gigabyte is decompressed.
    """

    def getall(self, max_records: int | None = None) -> list[Any]:
        """Return the next records, at least one if there is one."""
        records: list[Any] = []
        size_bytes = 0
        while size_bytes < _TAKEN_BYTES and (max_records is None or len(records) < max_records):
            record = self.getone()
            if record is None:
                break
            records.append(record)
            if isinstance(record.value, RefusedValue):
                break
            size_bytes += len(record.value or b"")
        return records


class _PlacedRecords(fetcher.PartitionRecords):  # type: ignore[misc]
    """The fetched records of a partition, which know the offset that they were fetched for."""

    def __init__(self, partition: Any, records: FetchedRecords, *arguments: Any) -> None:
        _, fetch_offset, *_ = arguments
        records.position = fetch_offset
        self._place = partition.topic, partition.partition
        self._empty_from = fetch_offset
        FETCHED.note(*self._place, records.content)
        super().__init__(partition, records, *arguments)

    def __next__(self) -> Any:
        """Return the next record."""
        try:
            record = super().__next__()
        except StopIteration:
            EMPTY_TAILS.note(*self._place, self._empty_from, self.next_fetch_offset)
            raise
        self._empty_from = record.offset + 1
        return record


def bound_fetches(record_limit_bytes: int) -> None:
    """Have every consumer of this process refuse single records instead of failing as a whole.

    aiokafka has no setting for it, so three of its classes are replaced.

    Args:
        record_limit_bytes: Size of the largest record that is read, after decompression.
    """
    FetchedRecords.record_limit_bytes = record_limit_bytes
    fetcher.MemoryRecords = FetchedRecords
    fetcher.PartitionRecords = _PlacedRecords
    fetcher.FetchResult = _BoundedResult
