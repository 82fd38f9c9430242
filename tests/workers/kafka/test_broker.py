"""What lies between the broker and an agent: bounded batches and queues, offsets, and misplaced records."""

import asyncio
from types import SimpleNamespace

import msgspec
import pytest
from aiokafka.errors import NodeNotReadyError, OutOfOrderSequenceNumber
from mode.utils.queues import FlowControlEvent

from schemas.page import HEADER_URL
from tests.workers.builders import page
from tests.workers.kafka.broker.slow_items import SlowItems
from tests.workers.kafka.builders import received
from workers.kafka.broker import feeder, plain_clients
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.broker_client import BrokerClient
from workers.kafka.broker.feeder import Feeder, items_off_loop, page_headers
from workers.kafka.broker.partitioning import MisplacedRecords, partition_of
from workers.kafka.logs.fetched import EmptyTails
from workers.kafka.patches import ByteQueue
from workers.kafka.role import BatchBuffer
from workers.settings import load_settings


def event(size_bytes):
    return SimpleNamespace(message=SimpleNamespace(value=bytes(size_bytes) if size_bytes else None))


@pytest.mark.parametrize(
    ("most_events", "most_bytes", "first"), [(3, 1000, 3), (10, 100, 2), (10, 10, 1)]
)
async def test_adding_to_a_full_batch_waits_until_it_is_taken(most_events, most_bytes, first):
    coming = [event(60) for _ in range(4)]
    order = iter(coming)
    buffer = BatchBuffer(lambda: next(order), most_events, most_bytes)

    async def bring():
        for event in coming:
            assert await buffer.add(event.message.value) is event.message.value

    bringing = asyncio.ensure_future(bring())
    taken = []
    while len(taken) < len(coming):
        await asyncio.wait_for(buffer.has_events.wait(), 5)
        await asyncio.sleep(0)
        batch = buffer.take()
        assert len(batch) == min(first, len(coming) - len(taken))
        taken += batch
    await bringing
    assert taken == coming
    assert buffer.take() == []


async def test_a_queue_is_full_at_its_limit_of_bytes_until_some_are_taken():
    control = FlowControlEvent()
    control.resume()
    queue = ByteQueue(maxsize=10, flow_control=control, clear_on_resume=True, most_bytes=100)
    for size_bytes in (40, 0, 70):
        assert not queue.full()
        await queue.put(event(size_bytes))
    assert queue.full()
    late = asyncio.ensure_future(queue.put(event(5)))
    await asyncio.sleep(0)
    assert not late.done()
    await queue.get()
    await asyncio.wait_for(late, 5)
    assert queue.qsize() == 3
    queue.clear()
    assert not queue.full()


async def test_a_queue_is_full_at_its_limit_of_records():
    control = FlowControlEvent()
    control.resume()
    queue = ByteQueue(maxsize=2, flow_control=control, most_bytes=100)
    for _ in range(2):
        await queue.put(event(1))
    assert queue.full()


def test_an_offset_moves_to_the_end_of_a_tail_that_it_lies_in_and_of_no_other():
    tails = EmptyTails()
    assert tails.end_after("pages", 0, 5) == 5
    tails.note("pages", 0, 5, 8)
    assert [tails.end_after("pages", 0, one) for one in (4, 5, 7, 8)] == [4, 8, 8, 8]
    assert tails.end_after("pages", 1, 5) == 5
    tails.drop("pages", 0)
    assert tails.end_after("pages", 0, 5) == 5


def test_a_tail_grows_with_fetches_that_go_on_where_it_ended_and_begins_behind_a_later_record():
    tails = EmptyTails()
    tails.note("pages", 0, 5, 8)
    tails.note("pages", 0, 8, 11)
    assert tails.end_after("pages", 0, 5) == 11
    tails.note("pages", 0, 14, 15)
    assert [tails.end_after("pages", 0, one) for one in (5, 11, 14)] == [5, 11, 15]


def test_headers_that_came_with_a_page_go_on_with_it():
    given = msgspec.structs.replace(page(1, b"<p>"), headers=(("trace", b"7"), ("flag", None)))
    headers = page_headers(given)
    assert headers[-2:] == [("trace", b"7"), ("flag", None)]
    assert dict(headers)[HEADER_URL] == given.url.encode()


SITE, PARTITIONS = "example.com", 4
OWN = partition_of(SITE, PARTITIONS)
OTHER = (OWN + 1) % PARTITIONS


def record(partition, value, key=b"example.com"):
    return received(partition=partition, key=key, value=value)


@pytest.mark.parametrize(
    ("records", "warnings"),
    [
        ([record(OWN, b"x"), record(OWN, None)], False),
        ([record(OTHER, b"x")], True),
        ([record(OTHER, b"x"), record(OTHER, None)], False),
        ([record(OTHER, b"x"), record(OTHER, None, b"another")], True),
        ([record(OTHER, None)], False),
    ],
)
def test_a_record_that_nothing_removes_is_reported(records, warnings, caplog):
    strays = MisplacedRecords(PARTITIONS)
    assert [strays.holds(SITE, one) for one in records] == [one.partition != OWN for one in records]
    strays.warn()
    strays.warn()
    assert caplog.text.count("templ seed --from-prefix") == warnings


async def test_the_loop_runs_while_an_item_is_produced():
    slow = SlowItems("abc")
    async with slow.running_loop():
        assert [item async for item in items_off_loop(slow)] == ["a", "b", "c"]


async def test_an_error_of_the_items_is_raised():
    def items():
        yield 1
        raise ValueError("no more")

    coming = items_off_loop(items())
    assert await anext(coming) == 1
    with pytest.raises(ValueError, match="no more"):
        await anext(coming)


async def test_the_loop_runs_while_the_windows_of_a_run_are_read(monkeypatch):
    slow = SlowItems([("documents", "a.com", b"key", b"value", [])] * 3)
    sent = []

    class Producer:
        def __init__(self, **_options):
            pass

        async def start(self):
            pass

        async def stop(self):
            pass

        async def send(self, topic, value, *_given):
            sent.append((topic, value))
            return asyncio.sleep(0)

    async def no_problems(*_arguments, **_options):
        return []

    async def one_partition(*_arguments):
        return 1

    monkeypatch.setattr(plain_clients, "AIOKafkaProducer", Producer)
    monkeypatch.setattr(feeder, "require_topics", no_problems)
    monkeypatch.setattr(feeder, "partition_count", one_partition)
    monkeypatch.setattr(feeder, "_records", lambda _windows, _models: iter(slow))
    async with slow.running_loop():
        done = await feeder.seed_broker(
            BrokerAccess("broker:9092", prefix="x."), None, None, load_settings()
        )
    assert done == 3
    assert sent == [("x.documents", b"value")] * 3


async def test_another_broker_is_asked_where_one_of_a_cluster_is_away(monkeypatch):
    admin, there = BrokerClient(bootstrap_servers="127.0.0.1:1"), {2}

    async def is_ready(node, **_):
        return node in there

    async def send(node, _request):
        if not await is_ready(node):
            raise NodeNotReadyError
        return node

    brokers = [SimpleNamespace(nodeId=node) for node in range(3)]
    monkeypatch.setattr(admin._client.cluster, "brokers", lambda: brokers)
    monkeypatch.setattr(admin._client, "ready", is_ready)
    monkeypatch.setattr(admin._client, "send", send)
    assert {await admin.ask(None) for _ in range(20)} == {2}
    with pytest.raises(NodeNotReadyError):
        await admin.ask(None, 1)
    there.clear()
    with pytest.raises(NodeNotReadyError, match="none of the brokers"):
        await admin.ask(None)


def test_a_feed_is_told_to_send_again_what_a_cluster_has_lost():
    refused = Feeder(BrokerAccess("kafka:9092"), 1)._refused(OutOfOrderSequenceNumber())
    assert refused.endswith("it has lost pages that it had acknowledged: send the feed again")
