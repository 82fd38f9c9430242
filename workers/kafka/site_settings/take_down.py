"""Removing all that the topics hold of one site."""

import asyncio
from collections.abc import Mapping

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from schemas.topics import CLEANED, DOCUMENTS, SITE_MODELS
from workers.errors import BrokerProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.admin import topic_partitions
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range
from workers.kafka.site_settings.records import producer_for

_SETTLED_S = 3.0
"""Time after which the topics are looked at once more: workers may not have known yet."""
_ROUNDS_MAX = 40
"""Looks at the topics after which a site counts as one that cannot be taken down."""


class _Text(msgspec.Struct):
    """The only field of a cleaned record that is read here."""

    site: str = ""


async def erase_from_topics(broker: BrokerAccess, prefix: str, site: str) -> dict[str, int]:
    """Send a null value for every document, text and model of a site until none is left.

    Call it when the record that takes the site down was stored. The topics are read again until a look finds
    nothing, because a worker may have had a page of the site in hand.

    Args:
        broker: How the broker is reached.
        prefix: Text before the name of each topic.
        site: Site key.

    Returns:
        The number of null values that were sent to each topic.

    Raises:
        BrokerProblem: The broker cannot be reached, or workers go on writing records of the site.
    """
    counts = {
        name: await topic_partitions(broker, prefix + name)
        for name in (DOCUMENTS, SITE_MODELS, CLEANED)
    }
    topics = {
        TopicPartition(prefix + name, partition_of(site, count)): name
        for name, count in counts.items()
    }
    sent = dict.fromkeys(topics.values(), 0)
    starts = dict.fromkeys(topics, 0)
    async with plain_consumer(broker) as consumer, producer_for(broker) as producer:
        for _ in range(_ROUNDS_MAX):
            ends = await consumer.end_offsets(list(topics))
            live = await _live_keys(consumer, topics, site, starts, ends)
            await _send_nulls(producer, live)
            for topic, keys in live.items():
                sent[topics[topic]] += len(keys)
            if not any(live.values()) and starts == ends:
                return sent
            if not any(live.values()):
                await asyncio.sleep(_SETTLED_S)
            starts = ends
    raise BrokerProblem(
        f"records of {site} still arrive: is each worker at {broker} of this version? Run the command again"
    )


async def _live_keys(
    consumer: AIOKafkaConsumer,
    topics: Mapping[TopicPartition, str],
    site: str,
    starts: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int],
) -> dict[TopicPartition, set[bytes]]:
    """Return the keys of a site whose last record between two offsets has a value."""
    live: dict[TopicPartition, set[bytes]] = {topic: set() for topic in topics}
    async for record in read_range(consumer, dict(starts), dict(ends)):
        topic = TopicPartition(record.topic, record.partition)
        if record.value is None:
            live[topic].discard(record.key)
        elif _is_of(record, topics[topic], site):
            live[topic].add(record.key)
    return live


def _is_of(record: ConsumerRecord, topic: str, site: str) -> bool:
    key = record.key or b""
    if topic == CLEANED:
        try:
            return msgspec.json.decode(record.value, type=_Text).site == site
        except msgspec.DecodeError:
            return False
    return key == site.encode() or key.startswith(site.encode() + b"\0")


async def _send_nulls(
    producer: AIOKafkaProducer, live: Mapping[TopicPartition, set[bytes]]
) -> None:
    sends = [
        await producer.send(topic.topic, None, key=key, partition=topic.partition)
        for topic, keys in live.items()
        for key in sorted(keys)
    ]
    await asyncio.gather(*sends)
