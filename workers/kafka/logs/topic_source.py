"""The page messages of a topic between two times, as a replay sends them again.

Every method raises `BrokerProblem` where the broker cannot be reached, refuses, or makes no progress for a minute.
"""

import heapq
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import NamedTuple, Self

import msgspec
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import topic_partitions
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.plain_clients import NO_PROGRESS_S
from workers.kafka.broker.received import received_from_aiokafka
from workers.page import Page, Rejected

_POLL_MS = 200
_AHEAD_RECORDS = 100
"""Most records of a partition that are held while others are waited for."""


class TopicSpan(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a topic that is replayed, and who reads it."""

    topic: str
    """Full name of the topic."""
    group: str
    """Consumer group of this span alone, whose commits say how far the span was sent. It has no members."""
    since_ms: int | None
    """Time of the first records in Unix milliseconds; None means from the start of the topic."""
    until_ms: int | None
    """Time before which records are read; None means up to where the topic ends at the start."""


class _Next(NamedTuple):
    """The next record of a partition; records are merged in the order of these fields."""

    time_ms: int
    partition: int
    offset: int


class TopicSource:
    """An asynchronous context with the records of a span, merged by time across partitions.

    The group's commits are the offsets behind the last records that were sent.
    """

    def __init__(self, broker: BrokerAccess, span: TopicSpan) -> None:
        self._broker = broker
        self._span = span
        self._ends: dict[TopicPartition, int] = {}
        self._places: dict[TopicPartition, int] = {}
        self._held: dict[TopicPartition, deque[ConsumerRecord]] = {}
        self.is_resumed = False
        """Whether an earlier replay of the span was begun."""
        self.sent_before = 0
        """Number of offsets of the span before those at which reading begins."""

    async def __aenter__(self) -> Self:
        """Connect, and find the offsets of the span.

        Raises:
            TopicProblem: There is no such topic.
        """
        count = await topic_partitions(self._broker, self._span.topic)
        self._consumer = AIOKafkaConsumer(
            **self._broker.client_options(),
            group_id=self._span.group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
        )
        try:
            with as_broker_problem(self._problem):
                await self._consumer.start()
                await self._find(
                    [TopicPartition(self._span.topic, number) for number in range(count)]
                )
        except BaseException:
            await self._consumer.stop()
            raise
        return self

    def _problem(self, error: KafkaError) -> str:
        return f"{self._broker} does not give {self._span.topic}: {error}"

    async def __aexit__(self, *_: object) -> None:
        await self._consumer.stop()

    async def _find(self, partitions: list[TopicPartition]) -> None:
        """Set where each partition begins and ends, and put the consumer there."""
        self._consumer.assign(partitions)
        starts = await self._consumer.beginning_offsets(partitions)
        ends = await self._consumer.end_offsets(partitions)
        since = await self._offsets_at(self._span.since_ms, partitions, starts, ends)
        until = await self._offsets_at(self._span.until_ms, partitions, ends, ends)
        for partition in partitions:
            start = min(since[partition], until[partition])
            committed = await self._consumer.committed(partition)
            if committed is not None:
                self.is_resumed = True
                self.sent_before += max(min(committed, until[partition]) - start, 0)
                start = max(start, committed)
            self._consumer.seek(partition, start)
            self._ends[partition] = until[partition]
            self._places[partition] = start
            self._held[partition] = deque()

    async def _offsets_at(
        self,
        time_ms: int | None,
        partitions: list[TopicPartition],
        without_time: dict[TopicPartition, int],
        ends: dict[TopicPartition, int],
    ) -> dict[TopicPartition, int]:
        """Return the offset of the first record of each partition that is not older than a time."""
        if time_ms is None:
            return without_time
        offsets = await self._consumer.offsets_for_times(dict.fromkeys(partitions, time_ms))
        return {
            partition: ends[partition] if offsets[partition] is None else offsets[partition].offset
            for partition in partitions
        }

    async def records(self) -> AsyncIterator[Page | Rejected]:
        """Yield the records of the span."""
        heads: list[_Next] = []
        empty = set(self._ends)
        while True:
            for tp in await self._fill(empty):
                record = self._held[tp][0]
                heapq.heappush(heads, _Next(record.timestamp, tp.partition, record.offset))
            if not heads:
                return
            tp = TopicPartition(self._span.topic, heapq.heappop(heads).partition)
            record = self._held[tp].popleft()
            self._places[tp] = record.offset + 1
            received = received_from_aiokafka(record)
            now_ms = round(time.time() * 1000)
            yield page_of_message(received, self._broker.settings, now_ms)
            empty = {tp}

    async def _fill(self, empty: set[TopicPartition]) -> set[TopicPartition]:
        """Read until each partition has a record or is at its end; return those that have one."""
        waits_until = time.monotonic() + NO_PROGRESS_S
        asked = {tp for tp in empty if not self._held[tp]}
        while asked:
            with as_broker_problem(self._problem):
                some = await self._consumer.getmany(
                    *asked, timeout_ms=_POLL_MS, max_records=_AHEAD_RECORDS
                )
            for tp, records in some.items():
                self._held[tp].extend(each for each in records if each.offset < self._ends[tp])
            if some:
                waits_until = time.monotonic() + NO_PROGRESS_S
            asked = {
                tp
                for tp in asked
                if not self._held[tp] and await self._consumer.position(tp) < self._ends[tp]
            }
            if asked and time.monotonic() > waits_until:
                raise BrokerProblem(f"reading {self._span.topic} has made no progress for a minute")
        return {tp for tp in empty if self._held[tp]}

    async def note(self) -> None:
        """Commit that all records that were yielded are sent."""
        group = self._span.group
        with as_broker_problem(
            lambda error: f"{self._broker} refuses the commits of the group {group}: {error}"
        ):
            await self._consumer.commit(self._places)
