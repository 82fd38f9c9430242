"""Records as the agents process them, including those that faust has skipped.

When partitions are reassigned, faust may drop records that it had fetched and go on after them (its
issue 596; seen in about one of twenty starts of two workers). It then waits forever to commit, or
commits offsets beyond the dropped records. So every agent checks that offsets follow each other.
"""

import logging
import time
from collections.abc import Sequence
from typing import Any, Self

import msgspec
from aiokafka import TopicPartition

from schemas.codec import SchemaError
from schemas.source import Source
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import plain_consumer, read_range
from workers.log_lines import record_fields

log = logging.getLogger("templ")

KEPT_BYTES = 64 << 10
"""Bytes that are kept of the value of a record that is too large, and largest size of its key."""

Header = tuple[str, bytes | None]


class RefusedValue(bytes):
    """The value of a record that is not to be processed, whole or cut, with the reason."""

    exception: str
    """Name of the problem."""
    message: str
    size_bytes: int
    """Size of the whole value; 0 where it is not known."""

    def __new__(cls, kept: bytes, exception: str, message: str, size_bytes: int) -> Self:
        """Return the value with the reason."""
        value = super().__new__(cls, kept)
        value.exception, value.message, value.size_bytes = exception, message, size_bytes
        return value


def processable(value: bytes | None) -> bytes | None:
    """Return the value of a record.

    Raises:
        SchemaError: The record is not to be processed.
    """
    if isinstance(value, RefusedValue):
        raise SchemaError(value.message)
    return value


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A Kafka record, read by faust or by aiokafka."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()

    @property
    def source(self) -> Source:
        """Where the record is."""
        return Source(self.topic, self.partition, self.offset)


def received_from_faust(message: Any) -> Received:
    """Return a record from a message of faust."""
    headers = message.headers or ()
    pairs = headers.items() if isinstance(headers, dict) else headers
    return Received(
        topic=message.topic,
        partition=message.partition,
        offset=message.offset,
        timestamp_ms=_stamp(message.timestamp and message.timestamp * 1000),
        key=message.key,
        value=message.value,
        headers=tuple(pairs),
    )


def received_from_aiokafka(record: Any) -> Received:
    """Return a record from a record of aiokafka."""
    return Received(
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        timestamp_ms=_stamp(record.timestamp),
        key=record.key,
        value=record.value,
        headers=tuple(record.headers),
    )


def _stamp(timestamp_ms: float | None) -> int:
    """Return a record's time, or now for a record of a very old producer, which has none."""
    if timestamp_ms is None or timestamp_ms < 0:
        return int(time.time() * 1000)
    return int(timestamp_ms)


class OffsetGapFiller:
    """Finds gaps in the offsets of the records of a topic, and reads the missing records."""

    def __init__(self, broker: BrokerAccess) -> None:
        self._broker = broker
        self._expected: dict[int, int] = {}

    def begin(self, partition: int, offset: int, *, is_other_log: bool) -> None:
        """Expect the records of a partition that was assigned from an offset on.

        In the log that was read before, this process may have records beyond it in hand.
        """
        known = 0 if is_other_log else self._expected.get(partition, 0)
        self._expected[partition] = max(known, offset)

    def received(self) -> dict[int, int]:
        """Return the offset after the last record of each partition; any thread may call this."""
        return dict(self._expected)

    async def complete(self, records: Sequence[Received]) -> list[Received]:
        """Return the records, each after missing records of its partition that belong before it."""
        complete: list[Received] = []
        for record in records:
            expected = self._expected.get(record.partition, record.offset)
            if record.offset > expected and (missed := await self._read(record, expected)):
                log.warning(
                    "%s-%s: %s skipped records are read again",
                    *(record.topic, record.partition, len(missed)),
                    extra=record_fields(missed[0].source),
                )
                complete += missed
            self._expected[record.partition] = max(expected, record.offset + 1)
            complete.append(record)
        return complete

    async def _read(self, before: Received, start: int) -> list[Received]:
        """Return the records from `start` to before one; there are none where compaction left a gap."""
        topic = TopicPartition(before.topic, before.partition)
        async with plain_consumer(self._broker) as consumer:
            records = read_range(consumer, {topic: start}, {topic: before.offset})
            return [received_from_aiokafka(record) async for record in records]
