"""`templ feed` sends what it has read while it waits for more."""

import asyncio

from tests.workers.builders import page
from tests.workers.kafka.broker.slow_items import SlowItems
from workers.cli.feed import _send
from workers.kafka.broker import feeder
from workers.kafka.broker.access import BrokerAccess
from workers.settings import load_settings


class MadeUpFeeder:
    """Accepts every page."""

    sent: list

    def __init__(self, *_arguments):
        pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_error):
        pass

    async def send(self, record):
        self.sent.append(record)


def test_the_event_loop_runs_while_an_input_is_read(monkeypatch):
    pages = [page(number, b"<p>Some words.") for number in range(3)]
    monkeypatch.setattr(feeder, "Feeder", MadeUpFeeder)
    monkeypatch.setattr(MadeUpFeeder, "sent", [], raising=False)
    slow = SlowItems(pages)
    slow.bytes_total, slow.bytes_read = None, 0

    async def send():
        async with slow.running_loop():
            return await _send(slow, BrokerAccess("127.0.0.1:1"), "", None, None, load_settings())

    assert asyncio.run(send()) == 3
    assert MadeUpFeeder.sent == pages
