"""What one hostile record can do to workers on a real broker is bounded to that record."""

import asyncio
import re
import time
from pathlib import Path

import msgspec
import pytest
from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer import fetcher
from aiokafka.errors import for_code
from aiokafka.protocol.produce import ProduceRequest

from schemas.document import document_key
from schemas.source import Source
from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS
from tests.kafka.stream import PARTITIONS, Stream, wait_until, write_feed
from tests.workers.builders import document
from tests.workers.raw_batches import ZSTD, Zeros, batch
from workers.kafka.broker.bounded_fetch import bound_fetches
from workers.kafka.broker.partitioning import partition_of
from workers.settings import load_settings

pytestmark = pytest.mark.timeout(400)

LARGE = Zeros(1 << 30)
MEMORY_BYTES = 300 << 20
SITE = "site-0.example"


@pytest.fixture
def stream(kafka_broker, prefix, tmp_path, monkeypatch):
    for name in ("MemoryRecords", "FetchResult"):
        monkeypatch.setattr(fetcher, name, getattr(fetcher, name))
    bound_fetches(load_settings().record_limit_bytes)
    running = Stream(kafka_broker, prefix, tmp_path)
    yield running
    running.stop_all()


def send(stream, topic, partition, records):
    """Send records as one batch; answers the offset of its first record."""
    raw = batch(records, ZSTD, stamp_ms=time.time_ns() // 1_000_000)
    return asyncio.run(_send(stream.address, stream.prefix + topic, partition, raw))


async def _send(address, topic, partition, raw):
    client = AIOKafkaClient(bootstrap_servers=address)
    await client.bootstrap()
    try:
        client.add_topic(topic)
        await client.force_metadata_update()
        node = client.cluster.leader_for_partition(TopicPartition(topic, partition))
        response = await client.send(
            node, ProduceRequest(None, -1, 30_000, [(topic, [(partition, raw)])])
        )
        ((_, ((_, code, offset, *_),)),) = response.topics
        assert code == 0, for_code(code)
        return offset
    finally:
        await client.close()


def page(number, *headers):
    url = f"https://{SITE}/hostile-{number}".encode()
    text = b"A sentence of some words, and then some more. " * 20
    return SITE.encode(), b"<title>t</title><p>" + text, [(b"url", url), *headers]


def peak_bytes(stream, name="one"):
    """The most memory that a process of a worker's roles has had."""
    children = Path(f"/proc/{stream.pid(name)}/task/{stream.pid(name)}/children").read_text()
    found = [Path(f"/proc/{one}/status").read_text() for one in children.split()]
    return max(int(re.search(r"VmHWM:\s+(\d+) kB", one)[1]) << 10 for one in found)


def test_hostile_pages_become_dead_letters_and_the_rest_goes_on(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=40))
    surrogate = b'{"url":"https://a.com/","html":"<p>x","\\ud800":1}'
    hostile = [
        page(0),
        page(1, (b"\xff\xfe", b"x")),
        page(2),
        (b"k", LARGE, [(b"url", b"https://a.com/large")]),
        page(4),
        (b"k", surrogate, []),
        page(6),
    ]
    number = partition_of(SITE, PARTITIONS)
    first = send(stream, PAGES, number, hostile)
    stream.feed(write_feed(tmp_path / "more.jsonl", pages=40, seed=2))
    stream.wait_until_answered()
    assert peak_bytes(stream) < MEMORY_BYTES
    assert stream.stop() == 0
    names = [f"{stream.prefix}{PAGES}-{number}-{first + shift}" for shift in (1, 3, 5)]
    letters = stream.dead_letters()
    assert sorted(letters) == sorted(names)
    kinds = [letters[name][0]["__streams.errors.exception"] for name in names]
    assert kinds == ["InvalidHeader", "RecordTooLarge", "InvalidRecord"]
    assert letters[names[0]][1] == hostile[1][1]
    assert letters[names[1]][0]["templ.cut-from"] == str(LARGE.size)
    assert letters[names[2]][1] == surrogate
    for name in names:
        (line,) = [one for one in stream.log().splitlines() if name in one]
        assert "is a dead letter" in line
    assert "Traceback" not in stream.log()
    assert "starts again" not in stream.log()


def test_hostile_documents_and_models_are_stepped_over(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=40))
    stream.wait_until_answered()
    number = partition_of(SITE, PARTITIONS)
    key = document_key(SITE, Source("pages", 0, 1))
    values = [
        _document(event_time_ms=-(2**63)),
        _document(kind="deletion", event_time_ms=2**63 - 1),
        _document(format=9),
        LARGE,
        b"\xc1 no document",
    ]
    records = [(key, value, []) for value in values]
    records.append((key, _document(event_time_ms=2**64 - 1), [(b"\xff", b"x")]))
    first = send(stream, DOCUMENTS, number, records)
    model = send(stream, SITE_MODELS, number, [(SITE.encode(), LARGE, [])])
    stream.feed(write_feed(tmp_path / "more.jsonl", pages=40, seed=2))
    stream.wait_until_answered()
    stream.wait_until_learned()
    wait_until(lambda: f"{SITE_MODELS}-{number}-{model} cannot" in stream.log(), stream.log)
    assert peak_bytes(stream) < MEMORY_BYTES
    assert stream.stop() == 0
    for shift in range(len(records)):
        name = f"{stream.prefix}{DOCUMENTS}-{number}-{first + shift}"
        (line,) = [one for one in stream.log().splitlines() if name in one]
        assert "is left out" in line
    assert len(stream.windows("one")[SITE][0]) > 5
    assert "starts again" not in stream.log()


def _document(**changed):
    fields = msgspec.to_builtins(document(1, site=SITE), builtin_types=(bytes,))
    return msgspec.msgpack.encode({**fields, **changed})
