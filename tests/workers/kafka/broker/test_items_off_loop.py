"""Items that take time to produce do not hold up the event loop."""

import asyncio

import pytest

from tests.workers.kafka.broker.slow_items import SlowItems
from workers.kafka.broker import feeder, plain_producer
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.feeder import items_off_loop
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

    monkeypatch.setattr(plain_producer, "AIOKafkaProducer", Producer)
    monkeypatch.setattr(feeder, "check_topics", no_problems)
    monkeypatch.setattr(feeder, "partition_count", one_partition)
    monkeypatch.setattr(feeder, "_records", lambda _windows, _models: iter(slow))
    async with slow.running_loop():
        done = await feeder.seed_broker(
            BrokerAccess("broker:9092"), "x.", None, None, load_settings()
        )
    assert done == 3
    assert sent == [("x.documents", b"value")] * 3
