"""Sending what `templ run --state` has learned to the topics, from which the workers learn it."""

import asyncio
from collections.abc import Iterator

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from schemas.codec import encode_msgpack
from schemas.document import document_key
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.access.rights import SEED_RIGHTS
from workers.kafka.broker.admin import check_topics, partition_count
from workers.kafka.broker.off_loop import items_off_loop
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.config import PRODUCER_ROOM_BYTES
from workers.settings import Settings
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

_IN_FLIGHT = 200
"""Records that may wait for the broker's acknowledgement."""

_SeedRecord = tuple[str, str, bytes, bytes, list[tuple[str, bytes]]]
"""Topic, site, key, value and headers of a record."""


async def seed_broker(
    broker: BrokerAccess, prefix: str, windows: WindowStore, models: ModelStore, settings: Settings
) -> int:
    """Send the windows and site models of a run on files, and return the number of records sent.

    Windows on Kafka take these documents like any others, so sending them twice does no harm.
    Deletions are not sent, because no window holds what they have deleted.

    Args:
        broker: How the broker is reached.
        prefix: Text before the name of each topic.
        windows: Windows of the run.
        models: Site models of the run.
        settings: Largest message.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses a record.
        TopicProblem: A topic is missing or has wrong settings.
    """
    problems = await check_topics(broker, prefix, rights=SEED_RIGHTS)
    if problems:
        raise TopicProblem("\ntempl: ".join(problems))
    partitions = await partition_count(broker, prefix)
    producer = AIOKafkaProducer(
        **broker.client_options(),
        max_request_size=settings.message_limit_bytes + PRODUCER_ROOM_BYTES,
        compression_type="zstd",
        linger_ms=5,
        enable_idempotence=True,
    )
    await producer.start()
    sent = 0
    try:
        pending = []
        records = items_off_loop(_records(windows, models))
        async for topic, site, key, value, headers in records:
            number = partition_of(site, partitions)
            pending.append(
                await producer.send(
                    prefix + topic, value, key=key, partition=number, headers=headers
                )
            )
            sent += 1
            if len(pending) == _IN_FLIGHT:
                await asyncio.gather(*pending)
                pending.clear()
        await asyncio.gather(*pending)
    except KafkaError as error:
        raise BrokerProblem(f"{broker} refused a record: {error}") from None
    finally:
        await producer.stop()
    return sent


def _records(windows: WindowStore, models: ModelStore) -> Iterator[_SeedRecord]:
    """Yield the documents of each site in order, followed by the site's model."""
    for site, _ in windows.sites():
        for document in windows.window(site):
            headers = [(HEADER_SOURCE_ID, str(document.source).encode())]
            key = document_key(site, document.source)
            yield DOCUMENTS, site, key, encode_msgpack(document), headers
        model = models.get(site)
        if model is not None:
            yield SITE_MODELS, site, site.encode(), encode_msgpack(model), []
