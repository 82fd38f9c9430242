"""Copying what workers have learned, and what operators have decided, to topics of another prefix.

These may have another number of partitions. The records of a partition are copied in their order, with their keys,
values, timestamps and headers, so that the last record of every key stays the last one. A copy that was interrupted is
made again from the beginning, since a second copy of the same records in the same order changes nothing.
"""

from aiokafka import ConsumerRecord, TopicPartition

from schemas.document import site_of_key
from schemas.topics import DOCUMENTS, SITE_MODELS, SITE_SETTINGS
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import (
    SEED_RIGHTS,
    partition_count,
    require_topics,
    topic_partitions,
)
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
from workers.kafka.patches import bound_fetches
from workers.settings import Settings

COPIED_TOPICS = (SITE_SETTINGS, DOCUMENTS, SITE_MODELS)
"""The topics that are copied, in this order: what was taken down is known before its documents come."""
_NO_TIME = -1
"""Timestamp of a record that has none."""


async def copy_learned(
    source: BrokerAccess, target: BrokerAccess, settings: Settings
) -> dict[str, int]:
    """Copy the topics of what was learned, and return how many records of each were copied.

    Nothing else may write to the topics of the target meanwhile. What workers write to those of the source after the
    call has begun is left out.

    Raises:
        BrokerProblem: A broker cannot be reached, refuses, or makes no progress for a minute.
        TopicProblem: A topic is missing or has wrong settings.
    """
    bound_fetches(settings.record_limit_bytes)
    await require_topics(target, SEED_RIGHTS)
    partitions = await partition_count(target)
    copied = {}
    with as_broker_problem(lambda error: f"{source} or {target} refuses: {error!r}"):
        async with plain_producer(target, BROKER_LIMIT_BYTES, settings.compression) as producer:
            for name in COPIED_TOPICS:
                copied[name] = await _copy(name, source, target, partitions, producer)
    return copied


async def _copy(
    name: str,
    source: BrokerAccess,
    target: BrokerAccess,
    partitions: int,
    producer: PlainProducer,
) -> int:
    """Copy a topic to this number of partitions, and return the number of records.

    A record that was not in the partition of its site was ignored before, and is not copied.
    """
    topic, copied = source.topic(name), 0
    count = await topic_partitions(source, topic)
    tombstones = TombstoneCheck(source, topic)
    places = [TopicPartition(topic, number) for number in range(count)]
    async with plain_consumer(source) as consumer:
        ends = await consumer.end_offsets(places)
        async for record in read_range(consumer, dict.fromkeys(places, 0), ends):
            site = site_of_key(record.key or b"")
            if record.partition != partition_of(site, count):
                continue
            if not await _counts(record, tombstones):
                continue
            await producer.send(
                target.topic(name),
                record.value,
                record.key,
                partition_of(site, partitions),
                # Drop the tombstone's log mark: it means nothing in another log.
                headers=[header for header in record.headers if header[0] != DECIDED_FROM_HEADER],
                timestamp_ms=None if record.timestamp == _NO_TIME else record.timestamp,
            )
            copied += 1
    await producer.settle()
    return copied


async def _counts(record: ConsumerRecord, tombstones: TombstoneCheck) -> bool:
    """Return whether workers use a record: not if it cannot be read, or is a tombstone of another log."""
    if isinstance(record.value, RefusedValue):
        return False
    return record.value is not None or await tombstones.counts(received_from_aiokafka(record))
