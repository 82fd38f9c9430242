"""Short ways to make what the Kafka side of a worker is given."""

from schemas.codec import encode_msgpack
from schemas.document import document_key
from schemas.topics import TOPICS
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.settings import load_settings


def kafka_config(state, partitions=1, settings=None):
    """Return the configuration of a worker whose broker does not listen."""
    return KafkaConfig(
        broker=BrokerAccess("127.0.0.1:1"), instance="one", state=state,
        counts=dict.fromkeys(TOPICS, partitions), settings=settings or load_settings(),
    )  # fmt: skip


def received(topic="documents", **fields):
    """Return an empty record at the beginning of a partition, but for the fields that are given."""
    empty = {"partition": 0, "offset": 0, "timestamp_ms": 0, "key": None, "value": b""}
    return Received(topic=topic, **{**empty, **fields})


def received_document(record, **fields):
    """Return a record of `documents` with a document as its value."""
    key = document_key(record.site, record.source)
    return received(key=key, value=encode_msgpack(record), **fields)
