"""Items that take time to produce do not hold up the event loop."""

import asyncio
from threading import Event

import pytest

from workers.kafka.broker import seed_broker as seeding
from workers.kafka.broker.off_loop import items_off_loop
from workers.settings import load_settings

WAIT_S = 30


class SlowItems:
    """Produces each item only after the event loop has run: a blocked loop would never let it."""

    def __init__(self, items):
        self._items = items
        self.has_run = Event()

    def __iter__(self):
        for item in self._items:
            self.has_run.clear()
            assert self.has_run.wait(WAIT_S), "the event loop was blocked"
            yield item


async def keep_setting(event):
    """Set an event again and again, as long as the loop runs."""
    while True:
        event.set()
        await asyncio.sleep(0.001)


async def test_the_loop_runs_while_an_item_is_produced():
    slow = SlowItems("abc")
    ticking = asyncio.ensure_future(keep_setting(slow.has_run))
    assert [item async for item in items_off_loop(slow)] == ["a", "b", "c"]
    ticking.cancel()


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

    async def no_problems(*_arguments):
        return []

    async def one_partition(*_arguments):
        return 1

    monkeypatch.setattr(seeding, "AIOKafkaProducer", Producer)
    monkeypatch.setattr(seeding, "check_topics", no_problems)
    monkeypatch.setattr(seeding, "partition_count", one_partition)
    monkeypatch.setattr(seeding, "_records", lambda _windows, _models: iter(slow))
    ticking = asyncio.ensure_future(keep_setting(slow.has_run))
    done = await seeding.seed_broker("broker:9092", "x.", None, None, load_settings())
    ticking.cancel()
    assert done == 3
    assert sent == [("x.documents", b"value")] * 3
