"""Moving the records of a topic to the partitions of their sites after their number has changed.

The records of a partition are copied in their order, with their keys, values, timestamps and headers, so
that the last record of every key stays the last one. Only when the broker has stored all copies are null
values sent to where the records were. A move that was interrupted is made again from the beginning, since a
second copy of the same records in the same order changes nothing; the tombstones of the first attempt are
known by a header that names the change, and are not copied. Those of an earlier change are copied like any
other tombstone: without them, what was removed long ago could come back.

Where the broker cannot be reached, refuses a record, or makes no progress for a minute, a `BrokerProblem` is raised.
Nothing is lost: the move can be made again.
"""

import time
from collections.abc import Awaitable, Callable
from math import inf

import msgspec
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.document import site_of_key
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_clients import (
    BROKER_LIMIT_BYTES,
    PlainProducer,
    plain_consumer,
    plain_producer,
    read_range,
)
from workers.kafka.broker.received import RefusedValue, received_from_aiokafka
from workers.kafka.logs.tombstones import DECIDED_FROM_HEADER, TombstoneCheck
from workers.pace import Pace
from workers.settings import Settings

MOVED_HEADER = "templ.moved"
"""Header of the tombstone of a record that was moved; its value names the change."""
_NO_TIME = -1
"""Timestamp of a record that has none."""
_REPORT_S = 5.0

Say = Callable[[str], None]
"""Shows a line to whoever waits."""


class NumberChange(msgspec.Struct, frozen=True):
    """A change of the number of partitions."""

    old: int
    new: int

    @property
    def name(self) -> bytes:
        """The value of the header of tombstones that this change leaves behind."""
        return f"{self.old}-{self.new}".encode()

    def target(self, site: str, partition: int) -> int | None:
        """Return the partition to which a record of a site moves; None where it stays.

        A record that was not in its site's partition before counted nowhere, so it does not move either.

        Example:
            >>> NumberChange(2, 4).target("a.example", 0)
            2
            >>> NumberChange(2, 4).target("example.com", 1) is None
            True
        """
        new = partition_of(site, self.new)
        return new if partition != new and partition == partition_of(site, self.old) else None


class Moved(msgspec.Struct):
    """What was moved of a topic, or would be."""

    topic: str
    read: int = 0
    """Records of the topic that were looked at."""
    records: int = 0
    """Records that move."""
    size_bytes: int = 0
    """Bytes of the values of these."""
    unreadable: int = 0
    """Records that cannot be read and stay where they are; workers leave them out, too."""


class RecordMoves:
    """Moves the records of one topic."""

    def __init__(
        self, broker: BrokerAccess, topic: str, change: NumberChange, pace: Pace | None, say: Say
    ) -> None:
        """Prepare without connecting; what `say` is given every few seconds is how far the move is."""
        self._broker = broker
        self._topic = topic
        self._change = change
        self._pace = pace or Pace(inf)
        self._say = say
        self._tombstones = TombstoneCheck(broker, topic)
        self._partitions = [TopicPartition(topic, number) for number in range(change.old)]
        self._starts = dict.fromkeys(self._partitions, 0)

    async def count(self) -> Moved:
        """Return what would be moved, without moving it."""
        moved = Moved(self._topic)

        async def only_count(record: ConsumerRecord, _target: int) -> None:
            if self._is_left_behind(record):
                return
            moved.records += 1
            moved.size_bytes += len(record.value or b"")

        with as_broker_problem(self._problem):
            async with plain_consumer(self._broker) as consumer:
                ends = await consumer.end_offsets(self._partitions)
                await self._each(consumer, self._starts, ends, only_count, moved, "counted")
        return moved

    async def move(self, settings: Settings) -> Moved:
        """Move the records; nobody else may write to the topic meanwhile."""
        moved = Moved(self._topic)
        with as_broker_problem(self._problem):
            async with (
                plain_producer(self._broker, BROKER_LIMIT_BYTES, settings.compression) as producer,
                plain_consumer(self._broker) as consumer,
            ):
                await self._move_with(consumer, producer, moved)
        return moved

    def _problem(self, error: KafkaError) -> str:
        return (
            f"{self._topic}: {self._broker} cannot be reached, or refuses: {error!r}; nothing is "
            "lost, run the command again"
        )

    async def _move_with(
        self, consumer: AIOKafkaConsumer, producer: PlainProducer, moved: Moved
    ) -> None:
        async def copy(record: ConsumerRecord, target: int) -> None:
            if record.value is None and not await self._is_to_copy(record):
                return
            await self._pace.wait()
            # A tombstone loses the name of the log that it was decided from: it was judged, and in the
            # other partition it would be judged by another log.
            headers = [one for one in record.headers if one[0] != DECIDED_FROM_HEADER]
            time_ms = None if record.timestamp == _NO_TIME else record.timestamp
            place = self._topic, record.value, record.key, target
            await producer.send(*place, headers=headers, timestamp_ms=time_ms)
            moved.records += 1
            moved.size_bytes += len(record.value or b"")

        async def clear(record: ConsumerRecord, _target: int) -> None:
            if record.value is not None:
                await self._pace.wait()
                headers = [(MOVED_HEADER, self._change.name)]
                place = self._topic, None, record.key, record.partition
                await producer.send(*place, headers=headers)

        starts, before = self._starts, -1
        while before != moved.records:  # somebody may still have written during the first reading
            before = moved.records
            ends = await consumer.end_offsets(self._partitions)
            await self._each(consumer, starts, ends, copy, moved, "moved")
            await producer.settle()
            starts = ends
        cleared = Moved(self._topic)
        await self._each(consumer, self._starts, ends, clear, cleared, "removed where it was")

    async def _each(
        self,
        consumer: AIOKafkaConsumer,
        starts: dict[TopicPartition, int],
        ends: dict[TopicPartition, int],
        act: Callable[[ConsumerRecord, int], Awaitable[None]],
        moved: Moved,
        what: str,
    ) -> None:
        """Call `act` with each record between two offsets that moves, and its new partition."""
        offsets = sum(ends[one] - start for one, start in starts.items())
        report_at, at = time.monotonic() + _REPORT_S, dict(starts)
        async for record in read_range(consumer, starts, ends):
            moved.read += 1
            at[TopicPartition(record.topic, record.partition)] = record.offset + 1
            if time.monotonic() > report_at:
                report_at += _REPORT_S
                done = sum(at[one] - start for one, start in starts.items())
                self._say(f"{self._topic}: {done / offsets:.0%} {what}, {moved.read} records read")
            target = self._change.target(site_of_key(record.key or b""), record.partition)
            if target is None:
                continue
            if isinstance(record.value, RefusedValue):
                moved.unreadable += 1
                continue
            await act(record, target)

    async def _is_to_copy(self, record: ConsumerRecord) -> bool:
        """Return whether a tombstone counts, and is not what an earlier attempt has left behind."""
        is_ours = self._is_left_behind(record)
        return not is_ours and await self._tombstones.counts(received_from_aiokafka(record))

    def _is_left_behind(self, record: ConsumerRecord) -> bool:
        """Return whether a record is a tombstone of an earlier attempt to make the same change."""
        return dict(record.headers).get(MOVED_HEADER) == self._change.name
