"""Hostile records for the topics of a stream on a real broker."""

import asyncio
import time

import msgspec
from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import for_code
from aiokafka.protocol.produce import ProduceRequest

from schemas.document import document_key
from schemas.source import Source
from tests.workers.builders import document
from tests.workers.raw_batches import ZSTD, Zeros, batch

LARGE = Zeros(1 << 30)
SURROGATE = b'{"url":"https://a.com/","html":"<p>x","\\ud800":1}'
HOSTILE_PAGES = {
    "InvalidHeader": (b"k", b"<p>x", [(b"url", b"https://a.com/name"), (b"\xff\xfe", b"x")]),
    "RecordTooLarge": (b"k", LARGE, [(b"url", b"https://a.com/large")]),
    "InvalidRecord": (b"k", SURROGATE, []),
}
"""Records of `pages` that become dead letters, by the name of their problem."""


def hostile_documents(site):
    """Records of `documents` that are to be left out."""
    key = document_key(site, Source("pages", 0, 1))
    values = [
        _document(site, event_time_ms=-(2**63)),
        _document(site, kind="deletion", event_time_ms=2**63 - 1),
        _document(site, format=9),
        LARGE,
        b"\xc1 no document",
    ]
    odd_name = (key, _document(site, event_time_ms=2**64 - 1), [(b"\xff", b"x")])
    return [*((key, value, []) for value in values), odd_name]


def _document(site, **changed):
    fields = msgspec.to_builtins(document(1, site=site), builtin_types=(bytes,))
    return msgspec.msgpack.encode({**fields, **changed})


def send_batch(stream, topic, partition, records):
    """Send records in one batch as they are; answers the offset of the first."""
    raw = batch(records, ZSTD, stamp_ms=time.time_ns() // 1_000_000)
    return asyncio.run(_send(stream.address, stream.prefix + topic, partition, raw))


async def _send(address, topic, partition, raw):
    client = AIOKafkaClient(bootstrap_servers=address)
    await client.bootstrap()
    try:
        client.add_topic(topic)
        await client.force_metadata_update()
        node = client.cluster.leader_for_partition(TopicPartition(topic, partition))
        request = ProduceRequest(None, -1, 30_000, [(topic, [(partition, raw)])])
        response = await client.send(node, request)
        ((_, ((_, code, offset, *_),)),) = response.topics
        assert code == 0, for_code(code)
        return offset
    finally:
        await client.close()
