"""Reads what the topics hold of one site, without a consumer group."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec
from aiokafka import ConsumerRecord, TopicPartition

from schemas.codec import SchemaError, decode_document_record, decode_site_model_record
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from schemas.topics import DOCUMENTS, SITE_MODELS, SITE_SETTINGS
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.admin import partition_count
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range
from workers.kafka.broker.record_batch import processable
from workers.site_settings.book import DecidedSite, SettingsBook


class SiteRecords(msgspec.Struct, frozen=True, kw_only=True):
    """What the topics hold of one site."""

    model: SiteModelRecord | None
    documents: Sequence[DocumentRecord]
    """The newest document of each URL that is not deleted, in order of event time."""
    settings: DecidedSite | None
    """What operators have decided about the site; None = nothing."""


async def read_site_records(broker: BrokerAccess, prefix: str, site: str) -> SiteRecords:
    """Return what the topics hold of a site, as far as they go at the time of the call.

    Args:
        broker: How the broker is reached.
        prefix: Text before the name of each topic.
        site: Site key.

    Raises:
        BrokerProblem: The broker cannot be reached, or there is no progress for a minute.
        TopicProblem: A topic is missing.
    """
    number = partition_of(site, await partition_count(broker, prefix))
    model: SiteModelRecord | None = None
    book = SettingsBook()
    values: dict[bytes, bytes | None] = {}
    own, beginning = site.encode(), site.encode() + b"\0"
    models, documents, settings = (
        TopicPartition(prefix + name, number) for name in (SITE_MODELS, DOCUMENTS, SITE_SETTINGS)
    )
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets([models, documents, settings])
        async for record in read_range(consumer, dict.fromkeys(ends, 0), ends):
            if record.topic == models.topic and record.key == own:
                model = _model(record)
            elif record.topic == documents.topic and (record.key or b"").startswith(beginning):
                values[record.key] = record.value
            elif record.topic == settings.topic and record.key == own:
                with suppress(SchemaError):  # workers step over it, too
                    book.put(site, processable(record.value))
    return SiteRecords(model=model, documents=_newest(values), settings=book.of(site))


def _model(record: ConsumerRecord) -> SiteModelRecord | None:
    try:
        value = processable(record.value)
        return None if value is None else decode_site_model_record(value)
    except SchemaError:
        return None


def _newest(values: dict[bytes, bytes | None]) -> list[DocumentRecord]:
    """Return the newest version of each URL; records that cannot be read are left out."""
    newest: dict[str, DocumentRecord] = {}
    for value in values.values():
        try:
            body = processable(value)
            record = None if body is None else decode_document_record(body)
        except SchemaError:
            continue
        known = record and newest.get(record.url)
        if record and (known is None or record.event_time_ms >= known.event_time_ms):
            newest[record.url] = record
    documents = [one for one in newest.values() if one.kind == "document"]
    return sorted(documents, key=lambda one: (one.event_time_ms, one.id))
