"""Reading from a broker what `templ doctor` judges; nothing is changed there."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec
from aiokafka import TopicPartition, codec
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import NoError, for_code
from aiokafka.protocol.admin import ApiVersionRequest

from schemas.codec import SchemaError
from schemas.topics import SITE_SETTINGS, TOPICS
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.access.told_problems import kafka_problems_told
from workers.kafka.broker.admin import connected_admin
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range
from workers.kafka.broker.record_batch import processable
from workers.kafka.operate.findings import TopicFacts
from workers.site_settings.book import SettingsBook

_FETCH = 1
"""Kafka's number of the request that reads records."""
_FETCH_VERSIONS = {11: "2.3", 12: "2.7", 13: "3.1", 15: "3.5", 16: "3.7", 17: "3.9", 18: "4.1"}
"""Kafka's first release with a version of that request (`FetchRequest.json`)."""
_FETCH_FROM_4_0 = 4
"""Oldest version of that request that Kafka 4.0 and later understand (KIP-896)."""
_DEFAULTS = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "delete.retention.ms": "86400000",
    "max.message.bytes": "1048588",
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "unclean.leader.election.enable": "false",
}
"""Kafka's defaults of the settings that are asked for; some services do not tell all of them."""


class BrokerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker tells of itself and of templ's topics."""

    release: str
    """Kafka's release, as far as the broker tells it."""
    brokers: int
    """Number of brokers of the cluster."""
    topics: dict[str, TopicFacts]
    """The existing topics by name without the prefix."""


async def read_broker(broker: BrokerAccess, prefix: str) -> BrokerFacts:
    """Return what a broker tells of itself and of templ's topics.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses.
    """
    async with connected_admin(broker) as admin:
        versions = await admin._send_request(ApiVersionRequest())  # noqa: SLF001
        cluster = await admin.describe_cluster()
        described = {one["topic"]: one["partitions"] for one in await admin.describe_topics()}
        existing = [name for name in TOPICS if prefix + name in described]
        configs = await _configs(admin, [prefix + name for name in existing])
    fetch = {key: (low, high) for key, low, high in versions.api_versions}[_FETCH]
    return BrokerFacts(
        release=release_of(*fetch),
        brokers=len(cluster["brokers"]),
        topics={
            name: _topic(prefix + name, described[prefix + name], configs[prefix + name])
            for name in existing
            if prefix + name in configs
        },
    )


async def records_ahead(
    broker: BrokerAccess, topics: Iterable[TopicFacts], ahead_max_ms: int
) -> dict[str, int]:
    """Return how far records are dated after this machine's clock, in milliseconds by topic.

    No record is fetched: the broker finds the first one of each partition by its time.

    Args:
        broker: How the broker is reached.
        topics: The topics that are looked at.
        ahead_max_ms: How far a record may be dated after the clock without being reported.

    Raises:
        BrokerProblem: The broker does not tell it.
    """
    now_ms = round(time.time() * 1000)
    asked = {
        TopicPartition(topic.name, number): now_ms + ahead_max_ms
        for topic in topics
        if not topic.leaderless
        for number in range(topic.partitions)
    }
    if not asked:
        return {}
    with kafka_problems_told(
        lambda error: f"{broker} does not tell the times of its records ({error}); try again"
    ):
        async with plain_consumer(broker) as consumer:
            found = await consumer.offsets_for_times(asked)
    ahead: dict[str, int] = {}
    for one, place in found.items():
        if place is not None:
            ahead[one.topic] = max(ahead.get(one.topic, 0), place.timestamp - now_ms)
    return ahead


async def taken_down_in_topic(broker: BrokerAccess, prefix: str, partitions: int) -> frozenset[str]:
    """Return the sites of which `site-settings` says that they are taken down.

    Raises:
        BrokerProblem: The broker cannot be reached, or there is no progress for a minute.
    """
    book = SettingsBook()
    topics = [TopicPartition(prefix + SITE_SETTINGS, number) for number in range(partitions)]
    with kafka_problems_told(lambda error: f"{broker} does not give site settings: {error}"):
        async with plain_consumer(broker) as consumer:
            ends = await consumer.end_offsets(topics)
            async for record in read_range(consumer, dict.fromkeys(ends, 0), ends):
                with suppress(SchemaError, UnicodeDecodeError):  # workers step over it, too
                    site = (record.key or b"").decode()
                    if record.partition == partition_of(site, partitions):
                        book.put(site, processable(record.value))
    return frozenset(book.forgotten())


def usable_codecs() -> frozenset[str]:
    """Return the compressions that this installation can read and write."""
    usable = {name: getattr(codec, f"has_{name}")() for name in ("gzip", "snappy", "lz4", "zstd")}
    return frozenset(name for name, is_there in usable.items() if is_there)


def release_of(oldest: int, newest: int) -> str:
    """Return what the versions of the fetch request tell of Kafka's release.

    Args:
        oldest: Oldest version that the broker understands.
        newest: Newest version that the broker understands.
    """
    known = [release for version, release in _FETCH_VERSIONS.items() if version <= newest]
    if not known:
        return f"older than {_FETCH_VERSIONS[min(_FETCH_VERSIONS)]}"
    if oldest >= _FETCH_FROM_4_0 and known[-1] < "4.0":
        return "4.0 or later"
    return f"{known[-1]} or later"


async def _configs(admin: AIOKafkaAdminClient, topics: list[str]) -> dict[str, Mapping[str, str]]:
    """Return the settings of topics; those that were deleted meanwhile are left out."""
    if not topics:
        return {}
    asked = [
        ConfigResource(ConfigResourceType.TOPIC, name, dict.fromkeys(_DEFAULTS)) for name in topics
    ]
    return {
        topic: _DEFAULTS | {one[0]: one[1] for one in entries if one[1] is not None}
        for response in await admin.describe_configs(asked)
        for code, _message, _type, topic, entries in response.resources
        if for_code(code) is NoError
    }


def _topic(name: str, partitions: list[dict[str, object]], config: Mapping[str, str]) -> TopicFacts:
    copies = [(len(one["replicas"]), len(one["isr"])) for one in partitions]  # type: ignore[arg-type]
    return TopicFacts(
        name=name,
        partitions=len(partitions),
        config=config,
        leaderless=sum(one["leader"] == -1 for one in partitions),
        under_replicated=sum(current < wanted for wanted, current in copies),
        replicas=min(wanted for wanted, _ in copies),
    )
