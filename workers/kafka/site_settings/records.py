"""Reading and writing the settings of one site on the topic `site-settings`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.codec import SchemaError, decode_json, decode_site_model_record, encode_json
from schemas.site_model import SiteModelRecord
from schemas.site_settings import SiteSettingsRecord
from schemas.topics import MAX_MESSAGE_BYTES, SITE_MODELS, SITE_SETTINGS
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.admin import check_topics, partition_count, settled_partition_count
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range
from workers.kafka.broker.record_batch import processable
from workers.kafka.config import PRODUCER_ROOM_BYTES


@asynccontextmanager
async def producer_for(broker: BrokerAccess) -> AsyncIterator[AIOKafkaProducer]:
    """Start a producer, and stop it at the end.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses a record.
    """
    producer = AIOKafkaProducer(
        **broker.client_options(), max_request_size=MAX_MESSAGE_BYTES + PRODUCER_ROOM_BYTES
    )
    try:
        await producer.start()
        yield producer
    except KafkaError as error:
        raise BrokerProblem(f"{broker} refused a record: {error}") from None
    finally:
        await producer.stop()


async def read_settings(broker: BrokerAccess, prefix: str, site: str) -> SiteSettingsRecord | None:
    """Return the settings of a site; None where it has none.

    Raises:
        BrokerProblem: The broker cannot be reached.
        TopicProblem: A topic is missing or has wrong settings.
    """
    problems = await check_topics(broker, prefix)
    if problems:
        raise TopicProblem("\ntempl: ".join(problems))
    found: SiteSettingsRecord | None = None
    for value in await _values(broker, prefix + SITE_SETTINGS, prefix, site):
        try:
            body = processable(value)
            found = None if body is None else decode_json(body, SiteSettingsRecord)
        except SchemaError:
            continue  # workers step over it, too
    return found


async def write_settings(
    broker: BrokerAccess, prefix: str, site: str, record: SiteSettingsRecord | None
) -> None:
    """Store the settings of a site; None removes them.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses the record.
        TopicProblem: The topic is missing, or partitions are being added.
    """
    number = partition_of(site, await settled_partition_count(broker, prefix))
    async with producer_for(broker) as producer:
        await producer.send_and_wait(
            prefix + SITE_SETTINGS,
            None if record is None else encode_json(record),
            key=site.encode(),
            partition=number,
        )


async def seed_settings(
    broker: BrokerAccess, prefix: str, records: Sequence[SiteSettingsRecord]
) -> list[str]:
    """Store the settings of sites that have none on the topic, and return the other sites.

    Settings on the topic stay as they are, because somebody may have changed them since a run on files.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses a record.
        TopicProblem: The topic is missing, or partitions are being added.
    """
    if not records:
        return []
    topic, count = prefix + SITE_SETTINGS, await settled_partition_count(broker, prefix)
    known: dict[bytes, bool] = {}
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets([TopicPartition(topic, one) for one in range(count)])
        async for record in read_range(consumer, dict.fromkeys(ends, 0), ends):
            known[record.key or b""] = record.value is not None
    new = [one for one in records if not known.get(one.site.encode())]
    async with producer_for(broker) as producer:
        for one in new:
            await producer.send_and_wait(
                topic,
                encode_json(one),
                key=one.site.encode(),
                partition=partition_of(one.site, count),
            )
    return sorted({one.site for one in records} - {one.site for one in new})


async def read_models(broker: BrokerAccess, prefix: str, site: str) -> list[SiteModelRecord]:
    """Return the models of a site that its topic still holds, oldest first.

    Raises:
        BrokerProblem: The broker cannot be reached.
    """
    found = []
    for value in await _values(broker, prefix + SITE_MODELS, prefix, site):
        try:
            body = processable(value)
            if body is not None:
                found.append(decode_site_model_record(body))
        except SchemaError:
            continue
    return found


async def _values(broker: BrokerAccess, topic: str, prefix: str, site: str) -> list[bytes | None]:
    """Return all values of the key of a site that a compacted topic holds, oldest first."""
    place = TopicPartition(topic, partition_of(site, await partition_count(broker, prefix)))
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets([place])
        return [
            record.value
            async for record in read_range(consumer, {place: 0}, ends)
            if record.key == site.encode()
        ]
