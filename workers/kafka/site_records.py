"""What the topics hold of one site: reading it, writing its settings, and taking the site down.

Every function raises `BrokerProblem` where the broker cannot be reached, refuses, or makes no progress for a minute.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import msgspec
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.cleaned import CleanedRecord
from schemas.codec import (
    SchemaError,
    decode_document_record,
    decode_json,
    decode_site_model_record,
    encode_json,
    encode_msgpack,
)
from schemas.document import DocumentRecord, document_key
from schemas.site_model import SiteModelRecord
from schemas.site_settings import SiteSettingsRecord
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import (
    CLEANED,
    DOCUMENTS,
    FINGERPRINTS,
    MAX_MESSAGE_BYTES,
    PAGE_CHANGES,
    PAGE_COPIES,
    SITE_EVENTS,
    SITE_MODELS,
    SITE_SETTINGS,
)
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import (
    partition_count,
    read_partition_counts,
    require_topics,
    topic_partitions,
)
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_clients import (
    PRODUCER_ROOM_BYTES,
    PlainProducer,
    plain_consumer,
    plain_producer,
    read_range,
    read_whole,
)
from workers.kafka.broker.received import processable
from workers.site_settings import DecidedSite, SettingsOfSites

Record = TypeVar("Record")

_WATCHED_TOPICS = (FINGERPRINTS, PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS)
"""Topics that only watchers need."""
_ERASED_TOPICS = (DOCUMENTS, SITE_MODELS, CLEANED, *_WATCHED_TOPICS)
_KEYED_BY_URL = (CLEANED, PAGE_CHANGES, PAGE_COPIES)
_SETTLED_S = 3.0
"""Time after which the topics are read once more: workers may not have known yet."""
_ROUNDS_MAX = 40
"""Readings of the topics after which a site counts as one that cannot be taken down."""


class SiteRecords(msgspec.Struct, frozen=True, kw_only=True):
    """What the topics hold of one site."""

    model: SiteModelRecord | None
    documents: Sequence[DocumentRecord]
    """The newest document of each URL that is not deleted, in order of event time."""
    settings: DecidedSite | None
    """What operators have decided about the site; None = nothing."""


async def read_site_records(broker: BrokerAccess, site: str) -> SiteRecords:
    """Return what the topics hold of a site, as far as they go at the time of the call.

    Raises:
        TopicProblem: A topic is missing.
    """
    models, settings, documents = await _values(
        broker, site, (SITE_MODELS, SITE_SETTINGS, DOCUMENTS)
    )
    own, site_settings = site.encode(), SettingsOfSites()
    for value in settings.get(own, ()):
        with suppress(SchemaError):  # workers step over it, too
            site_settings.put(site, processable(value))
    return SiteRecords(
        model=next(iter(_decoded(models.get(own, ())[-1:], decode_site_model_record)), None),
        documents=_newest([values[-1] for values in documents.values()]),
        settings=site_settings.of(site),
    )


async def read_models(broker: BrokerAccess, site: str) -> list[SiteModelRecord]:
    """Return the models of a site that its topic still holds, oldest first."""
    (values,) = await _values(broker, site, (SITE_MODELS,))
    models = _decoded(values.get(site.encode(), ()), decode_site_model_record)
    return [model for model in models if model is not None]


async def read_settings(broker: BrokerAccess, site: str) -> SiteSettingsRecord | None:
    """Return the settings of a site; None where it has none.

    Raises:
        TopicProblem: A topic is missing or has wrong settings.
    """
    await require_topics(broker)
    (of_site,) = await _values(broker, site, (SITE_SETTINGS,))
    values = of_site.get(site.encode(), ())
    said = _decoded(values, lambda body: decode_json(body, SiteSettingsRecord))
    return said[-1] if said else None


async def write_settings(
    broker: BrokerAccess, site: str, record: SiteSettingsRecord | None
) -> None:
    """Store the settings of a site; None removes them.

    Raises:
        TopicProblem: The topic is missing.
    """
    number = partition_of(site, await partition_count(broker))
    value = None if record is None else encode_json(record)
    async with _producer(broker) as producer:
        await producer.send(broker.topic(SITE_SETTINGS), value, site.encode(), number)


async def seed_settings(broker: BrokerAccess, records: Sequence[SiteSettingsRecord]) -> list[str]:
    """Store the settings of sites that have none on the topic, and return the other sites.

    Settings on the topic stay as they are, because somebody may have changed them since a run on files.

    Raises:
        TopicProblem: The topic is missing.
    """
    if not records:
        return []
    topic, count = broker.topic(SITE_SETTINGS), await partition_count(broker)
    known: dict[bytes, bool] = {}
    async for record in read_whole(
        broker, (TopicPartition(topic, number) for number in range(count))
    ):
        known[record.key or b""] = record.value is not None
    new = [record for record in records if not known.get(record.site.encode())]
    async with _producer(broker) as producer:
        for given in new:
            number = partition_of(given.site, count)
            await producer.send(topic, encode_json(given), given.site.encode(), number)
    return sorted({record.site for record in records} - {record.site for record in new})


async def _values(
    broker: BrokerAccess, site: str, names: Sequence[str]
) -> list[dict[bytes, list[bytes | None]]]:
    """Return the records of a site in topics: for each topic its keys, with their values, oldest first."""
    number = partition_of(site, await partition_count(broker))
    values: dict[str, dict[bytes, list[bytes | None]]] = {broker.topic(name): {} for name in names}
    async for record in read_whole(broker, (TopicPartition(topic, number) for topic in values)):
        if _has_key_of(record, site):
            values[record.topic].setdefault(record.key, []).append(record.value)
    return list(values.values())


def _has_key_of(record: ConsumerRecord, site: str) -> bool:
    return (record.key or b"").partition(b"\0")[0] == site.encode()


def _decoded(
    values: Sequence[bytes | None], decode: Callable[[bytes], Record]
) -> list[Record | None]:
    """Return what values say, None for a tombstone; those that cannot be read are left out."""
    records: list[Record | None] = []
    for value in values:
        with suppress(SchemaError):  # workers step over it, too
            body = processable(value)
            records.append(None if body is None else decode(body))
    return records


def _newest(values: Sequence[bytes | None]) -> list[DocumentRecord]:
    """Return the newest document of each URL, in order of event time."""
    newest: dict[str, DocumentRecord] = {}
    for record in _decoded(values, decode_document_record):
        known = record and newest.get(record.url)
        if record and (known is None or record.event_time_ms >= known.event_time_ms):
            newest[record.url] = record
    documents = [record for record in newest.values() if record.kind == "document"]
    return sorted(documents, key=lambda record: (record.event_time_ms, record.id))


@asynccontextmanager
async def _producer(broker: BrokerAccess) -> AsyncIterator[PlainProducer]:
    with as_broker_problem(lambda error: f"{broker} refused a record: {error}"):
        async with plain_producer(broker, MAX_MESSAGE_BYTES + PRODUCER_ROOM_BYTES) as producer:
            yield producer


async def send_revisions(
    broker: BrokerAccess, revised: Iterable[tuple[CleanedRecord, DocumentRecord]]
) -> int:
    """Publish texts again, each with its document, in place of those before, and return how many there were.

    The text goes first: a document that says more than was published would hide a loss.

    Raises:
        TopicProblem: A topic is missing.
        BrokerProblem: The broker refuses a record.
    """
    counts = {
        name: await topic_partitions(broker, broker.topic(name)) for name in (CLEANED, DOCUMENTS)
    }
    sent = 0
    async with _producer(broker) as producer:
        for text, document in revised:
            headers = [(HEADER_SOURCE_ID, str(text.source).encode()), *document.headers]
            outputs = (
                (CLEANED, encode_json(text), text.url.encode()),
                (DOCUMENTS, encode_msgpack(document), document_key(text.site, text.source)),
            )
            for name, value, key in outputs:
                partition = partition_of(text.site, counts[name])
                await producer.send(broker.topic(name), value, key, partition, headers=headers)
                await producer.settle()
            sent += 1
    return sent


async def erase_from_topics(broker: BrokerAccess, site: str) -> dict[str, int]:
    """Send tombstones for all documents, texts, models and fingerprints of a site until none is left.

    It returns how many were sent, by topic.

    Call it when the record that takes the site down was stored. The topics are read again until nothing of the site is
    found twice, some time apart, because a worker may have had a page of the site in hand. Records of other sites may
    arrive meanwhile. It fails if workers go on writing records of the site.

    Raises:
        TopicProblem: A topic is missing.
    """
    counts = await _erased_counts(broker)
    topics = {
        TopicPartition(broker.topic(name), partition_of(site, count)): name
        for name, count in counts.items()
    }
    sent = dict.fromkeys(topics.values(), 0)
    starts, is_clean = dict.fromkeys(topics, 0), False
    async with plain_consumer(broker) as consumer, _producer(broker) as producer:
        for _ in range(_ROUNDS_MAX):
            ends = await consumer.end_offsets(list(topics))
            live = await _live_keys(consumer, topics, site, starts, ends)
            for topic, keys in live.items():
                sent[topics[topic]] += len(keys)
                for key in sorted(keys):
                    await producer.send(topic.topic, None, key, topic.partition)
            await producer.settle()
            was_clean, is_clean = is_clean, not any(live.values())
            if was_clean and is_clean:
                return sent
            if is_clean:
                await asyncio.sleep(_SETTLED_S)
            starts = ends
    raise BrokerProblem(
        f"records of {site} still arrive: is each worker at {broker} of this version? Run the command again"
    )


async def _erased_counts(broker: BrokerAccess) -> dict[str, int]:
    """Return the numbers of partitions of topics with records of sites."""
    counts = await read_partition_counts(broker)
    names = {topic: broker.topic(topic) for topic in _ERASED_TOPICS}
    for kind, name in names.items():
        if name not in counts and kind not in _WATCHED_TOPICS:
            raise TopicProblem(f"{name}: no such topic, or this user may not see it")
    return {topic: counts[name] for topic, name in names.items() if name in counts}


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


class _Text(msgspec.Struct):
    """The only field of a record that is read here."""

    site: str = ""


def _is_of(record: ConsumerRecord, topic: str, site: str) -> bool:
    if topic not in _KEYED_BY_URL:
        return _has_key_of(record, site)
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(record.value, type=_Text).site == site
    return False
