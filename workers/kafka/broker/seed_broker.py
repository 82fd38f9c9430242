"""What `templ run --state` has learned, to the workers of a broker: by the topics, like all they know."""

import asyncio
from collections.abc import Iterator

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from schemas.codec import encode_msgpack
from schemas.document import document_key
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.errors import BrokerProblem, TopicProblem
from workers.kafka.broker.admin import check_topics, partition_count
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.config import PRODUCER_ROOM_BYTES
from workers.settings import Settings
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

_IN_FLIGHT = 200

Record = tuple[str, str, bytes, bytes, list[tuple[str, bytes]]]
"""Topic, site, key, value and headers."""


async def seed_broker(
    broker: str, prefix: str, windows: WindowStore, models: ModelStore, settings: Settings
) -> int:
    """Send the windows and site models of a run on files; answers the number of records.

    Windows on Kafka that hold documents already take these in as they take any; sent twice, they are
    the same. Remembered deletions stay behind: what they have deleted is in no window.

    Raises:
        BrokerProblem: the broker cannot be reached, or refuses.
        TopicProblem: topics are missing or set wrong.
    """
    problems = await check_topics(broker, prefix)
    if problems:
        raise TopicProblem("\ntempl: ".join(problems))
    partitions = await partition_count(broker, prefix)
    producer = AIOKafkaProducer(
        bootstrap_servers=broker,
        max_request_size=settings.message_limit_bytes + PRODUCER_ROOM_BYTES,
        compression_type="zstd",
        linger_ms=5,
        enable_idempotence=True,
    )
    await producer.start()
    sent = 0
    try:
        pending = []
        for topic, site, key, value, headers in _records(windows, models):
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


def _records(windows: WindowStore, models: ModelStore) -> Iterator[Record]:
    """Of each site its documents in order, then its model."""
    for site, _ in windows.sites():
        for document in windows.window(site):
            headers = [(HEADER_SOURCE_ID, str(document.source).encode())]
            key = document_key(site, document.source)
            yield DOCUMENTS, site, key, encode_msgpack(document), headers
        model = models.get(site)
        if model is not None:
            yield SITE_MODELS, site, site.encode(), encode_msgpack(model), []
