"""Hostile records for the topics of a stream on a real broker."""

import asyncio
import time

import msgspec
from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import InvalidTimestampError, for_code
from aiokafka.protocol.produce import ProduceRequest

from schemas.document import document_key
from schemas.source import Source
from schemas.topics import PAGES, TOPICS
from tests.workers.builders import document
from tests.workers.raw_batches import ZSTD, Zeros, batch

ATTEMPTS = 20
"""Attempts to send a batch: a broker refuses it for a moment while the leader of a new topic is being chosen."""

LARGE = Zeros(1 << 30)
SURROGATE = b'{"url":"https://a.com/","html":"<p>x","\\ud800":1}'
HOSTILE_PAGES = {
    "InvalidHeader": (b"k", b"<p>x", [(b"url", b"https://a.com/name"), (b"\xff\xfe", b"x")]),
    "RecordTooLarge": (b"k", LARGE, [(b"url", b"https://a.com/large")]),
    "InvalidRecord": (b"k", SURROGATE, []),
}
"""Records of `pages` that become dead letters, by the name of their problem."""


def hostile_documents(site, large=LARGE):
    """Records of `documents` that are to be left out; `large` is the value of one that is too large."""
    key = document_key(site, Source("pages", 0, 1))
    values = [
        _document(site, event_time_ms=-(2**63)),
        _document(site, kind="deletion", event_time_ms=2**63 - 1),
        _document(site, format=9),
        large,
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
        request = ProduceRequest(None, -1, 30_000, [(topic, [(partition, raw)])])
        for _ in range(ATTEMPTS):
            await client.force_metadata_update()
            node = client.cluster.leader_for_partition(TopicPartition(topic, partition))
            response = await client.send(node, request)
            ((_, ((_, code, offset, *_),)),) = response.topics
            error = for_code(code)
            if not error.retriable:
                break
            await asyncio.sleep(0.5)
        assert code == 0, error
        return offset
    finally:
        await client.close()


async def accept_any_timestamp(stream):
    """Have the broker take timestamps as those before 4.0 do."""
    configs = {**TOPICS[PAGES].config(), "message.timestamp.after.max.ms": str(2**63 - 1)}
    await stream.configure(configs, PAGES)


async def send_when_taken(producer, *record, **more):
    """Send a record as soon as the broker has applied the topic's new setting of timestamps."""
    for _ in range(ATTEMPTS):
        try:
            return await producer.send_and_wait(*record, **more)
        except InvalidTimestampError:
            await asyncio.sleep(0.5)
    return await producer.send_and_wait(*record, **more)
