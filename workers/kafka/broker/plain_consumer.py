"""Reading ranges of partitions, without being a member of a group."""

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess

_POLL_MS = 200
NULLS_ARE_SAFE_MS = 12 * 3600 * 1000
"""Age up to which null values are surely kept: half of Kafka's default `delete.retention.ms`."""
NO_PROGRESS_S = 60.0
"""Longest time that a read may make no progress before it fails."""


@asynccontextmanager
async def plain_consumer(broker: BrokerAccess) -> AsyncIterator[AIOKafkaConsumer]:
    """Start a consumer without a group and without assigned partitions, and stop it at the end."""
    consumer = AIOKafkaConsumer(
        **broker.client_options(),
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
    )
    await consumer.start()
    try:
        yield consumer
    finally:
        await consumer.stop()


async def read_until(
    consumer: AIOKafkaConsumer, ends: dict[TopicPartition, int]
) -> AsyncIterator[list[ConsumerRecord]]:
    """Yield the records below the given offsets, in batches of one partition each.

    The partitions are assigned and positioned already. Reading is done when the positions have
    reached the ends: compaction leaves gaps, so the last record may lie well below its end.

    Raises:
        BrokerProblem: no progress for a minute.
    """
    moved_at = time.monotonic()
    positions = dict.fromkeys(ends, -1)
    while True:
        now = {partition: await consumer.position(partition) for partition in ends}
        open_partitions = [partition for partition in ends if now[partition] < ends[partition]]
        if not open_partitions:
            return
        if now != positions:
            positions, moved_at = now, time.monotonic()
        elif time.monotonic() - moved_at > NO_PROGRESS_S:
            names = ", ".join(f"{one.topic}-{one.partition}" for one in open_partitions)
            raise BrokerProblem(f"reading {names} has made no progress for {NO_PROGRESS_S:g} s")
        batches = await consumer.getmany(*open_partitions, timeout_ms=_POLL_MS)
        for partition, records in batches.items():
            yield [record for record in records if record.offset < ends[partition]]


async def read_range(
    consumer: AIOKafkaConsumer, starts: dict[TopicPartition, int], ends: dict[TopicPartition, int]
) -> AsyncIterator[ConsumerRecord]:
    """Yield the records from `starts` to before `ends` that the partitions still have.

    Raises:
        BrokerProblem: There was no progress for a minute.
    """
    consumer.assign(list(starts))
    first = await consumer.beginning_offsets(list(starts))
    for one, start in starts.items():
        consumer.seek(one, max(start, first[one]))
    async for records in read_until(consumer, ends):
        for record in records:
            yield record


async def read_whole(
    broker: BrokerAccess, partitions: Iterable[TopicPartition]
) -> AsyncIterator[ConsumerRecord]:
    """Yield the records that partitions hold at the time of the call, as a consumer of its own reads them.

    Raises:
        BrokerProblem: There was no progress for a minute.
    """
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets(list(partitions))
        async for record in read_range(consumer, dict.fromkeys(ends, 0), ends):
            yield record


async def settled_offset(consumer: AIOKafkaConsumer, topic: TopicPartition, end: int) -> int:
    """Return the offset below which compaction may have removed null values; the end where all records are older.

    The broker keeps null values for a day (`delete.retention.ms`). A reader whose position is below
    this offset, which is half a day old, has to begin again.
    """
    half_a_day_ago_ms = int(time.time() * 1000) - NULLS_ARE_SAFE_MS
    found = (await consumer.offsets_for_times({topic: half_a_day_ago_ms}))[topic]
    return end if found is None else found.offset
