"""Items that take time to produce do not hold up the event loop."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.producer import sender

from tests.workers.kafka.broker.slow_items import SlowItems
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker import seed_broker as seeding
from workers.kafka.broker.off_loop import compress_off_loop, items_off_loop
from workers.settings import load_settings


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

        async def send(self, topic, value, **_options):
            sent.append((topic, value))
            return asyncio.sleep(0)

    async def no_problems(*_arguments, **_options):
        return []

    async def one_partition(*_arguments):
        return 1

    monkeypatch.setattr(seeding, "AIOKafkaProducer", Producer)
    monkeypatch.setattr(seeding, "check_topics", no_problems)
    monkeypatch.setattr(seeding, "partition_count", one_partition)
    monkeypatch.setattr(seeding, "_records", lambda _windows, _models: iter(slow))
    async with slow.running_loop():
        done = await seeding.seed_broker(
            BrokerAccess("broker:9092"), "x.", None, None, load_settings()
        )
    assert done == 3
    assert sent == [("x.documents", b"value")] * 3


class Batch:
    """A batch of a producer that knows in which threads it was asked for its bytes."""

    def __init__(self):
        self.asked_in = []

    def get_data_buffer(self):
        self.asked_in.append(threading.get_ident())
        return b"records"

    def done_noack(self):
        self.is_done = True


async def test_a_batch_is_compressed_in_a_thread_before_its_request_is_made(monkeypatch):
    monkeypatch.setattr(sender, "SendProduceReqHandler", sender.SendProduceReqHandler)
    compress_off_loop()
    sent = []

    class Client:
        async def send(self, _node, request):
            sent.append(request)

    producer = SimpleNamespace(
        client=Client(), _acks=0, _request_timeout_ms=1, _txn_manager=None, _retry_backoff=0
    )
    batch = Batch()
    await sender.SendProduceReqHandler(producer, {TopicPartition("cleaned", 0): batch}).do(0)
    assert batch.asked_in[0] != threading.get_ident()
    assert batch.is_done
    assert len(sent) == 1
