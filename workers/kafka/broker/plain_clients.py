"""Clients outside workers: a consumer without a group, and a producer that lets a bounded number of records wait for the broker."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess

_POLL_MS = 200
NULLS_ARE_SAFE_MS = 12 * 3600 * 1000
"""Age up to which null values are surely kept: half of Kafka's default `delete.retention.ms`."""
NO_PROGRESS_S = 60.0
"""Longest time that a read may make no progress before it fails."""
PRODUCER_ROOM_BYTES = 1 << 20
"""Room in a producer's request besides the largest message."""
BROKER_LIMIT_BYTES = 1 << 30
"""Largest request where only the topic's own limit is to count, since it took the record before."""
_IN_FLIGHT_COUNT = 500
_IN_FLIGHT_BYTES = 32 << 20
"""Records, and bytes of them, that may wait for the broker's acknowledgement."""


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
    reached the ends: compaction leaves gaps, so the last record may lie well below its end. Records
    beyond the ends that were fetched with others are the next ones that the consumer returns.

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
            names = ", ".join(f"{tp.topic}-{tp.partition}" for tp in open_partitions)
            raise BrokerProblem(f"reading {names} has made no progress for {NO_PROGRESS_S:g} s")
        batches = await consumer.getmany(*open_partitions, timeout_ms=_POLL_MS)
        for partition, records in batches.items():
            wanted = [record for record in records if record.offset < ends[partition]]
            if len(wanted) < len(records):
                consumer.seek(partition, ends[partition])
            yield wanted


async def read_range(
    consumer: AIOKafkaConsumer, starts: dict[TopicPartition, int], ends: dict[TopicPartition, int]
) -> AsyncIterator[ConsumerRecord]:
    """Yield the records from `starts` to before `ends` that the partitions still have.

    Raises:
        BrokerProblem: There was no progress for a minute.
    """
    consumer.assign(list(starts))
    first = await consumer.beginning_offsets(list(starts))
    for partition, start in starts.items():
        consumer.seek(partition, max(start, first[partition]))
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
    at_time = (await consumer.offsets_for_times({topic: half_a_day_ago_ms}))[topic]
    return end if at_time is None else at_time.offset


class PlainProducer:
    """Sends records in order to each partition."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer
        self._waiting: dict[asyncio.Future[object], int] = {}

    async def send(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        partition: int | None = None,
        *,
        headers: Sequence[tuple[str, bytes | None]] = (),
        timestamp_ms: int | None = None,
    ) -> None:
        """Send a record, and wait while too many wait for the broker.

        Without a partition the key decides, without a time it is now.

        Raises:
            KafkaError: The broker refuses this record or an earlier one.
        """
        future = await self._producer.send(
            topic, value, key, partition, timestamp_ms, list(headers)
        )
        self._waiting[future] = len(value or b"")
        while (
            len(self._waiting) >= _IN_FLIGHT_COUNT
            or sum(self._waiting.values()) >= _IN_FLIGHT_BYTES
        ):
            done, _ = await asyncio.wait(self._waiting, return_when=asyncio.FIRST_COMPLETED)
            await self._settle(done)

    async def settle(self) -> None:
        """Wait until the broker has stored all that was sent before.

        Raises:
            KafkaError: The broker refuses a record.
        """
        await self._settle(list(self._waiting))

    async def _settle(self, futures: Collection[asyncio.Future[object]]) -> None:
        await asyncio.gather(*futures)
        for future in futures:  # others may have sent and may settle meanwhile
            self._waiting.pop(future, None)


@asynccontextmanager
async def plain_producer(
    broker: BrokerAccess, request_bytes: int, compression: str = "zstd"
) -> AsyncIterator[PlainProducer]:
    """Start a producer; at the end, wait until all records are stored, and stop it."""
    producer = AIOKafkaProducer(
        **broker.client_options(),
        max_request_size=request_bytes,
        compression_type=None if compression == "none" else compression,
        linger_ms=5,
        enable_idempotence=True,
    )
    try:
        await producer.start()
        plain = PlainProducer(producer)
        yield plain
        await plain.settle()
    finally:
        await producer.stop()
