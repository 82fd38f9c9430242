"""Removing all that the topics hold of one site."""

import asyncio
from collections.abc import Mapping

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from schemas.topics import CLEANED, DOCUMENTS, MOVING, SITE_MODELS
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.admin import read_partition_counts
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range
from workers.kafka.site_settings.records import producer_for

_TOPICS = (DOCUMENTS, SITE_MODELS, CLEANED)
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
        BrokerProblem: The broker cannot be reached, workers go on writing records of the site, or its records
            move to other partitions.
        TopicProblem: A topic is missing.
    """
    counts = await _settled_counts(broker, prefix, site)
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
                if await _settled_counts(broker, prefix, site) != counts:
                    raise _moving(site)
                return sent
            if not any(live.values()):
                await asyncio.sleep(_SETTLED_S)
            starts = ends
    raise BrokerProblem(
        f"records of {site} still arrive: is each worker at {broker} of this version? Run the command again"
    )


async def _settled_counts(broker: BrokerAccess, prefix: str, site: str) -> dict[str, int]:
    """Return the numbers of partitions of the topics that hold records of sites.

    Raises:
        BrokerProblem: Records move to other partitions, so that nobody knows where those of a site are.
    """
    counts = await read_partition_counts(broker)
    if prefix + MOVING in counts:
        raise _moving(site)
    for name in _TOPICS:
        if prefix + name not in counts:
            raise TopicProblem(f"{prefix}{name}: no such topic, or this user may not see it")
    return {name: counts[prefix + name] for name in _TOPICS}


def _moving(site: str) -> BrokerProblem:
    return BrokerProblem(
        f"{site} is taken down, but not erased from the topics, because partitions are being added to them: "
        "run the command again when `templ topics repartition` has ended"
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
