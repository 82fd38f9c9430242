"""How soon a correction of a site holds on a running worker.

    python -m tests.benchmarks.corrections --rounds 10

A broker and a worker are started. Pages of one site are sent every 50 ms, and in each round a rule of the
site is changed. What is printed is the time from the moment at which the broker has stored the record of
`site-settings` until the first text that was made with it is stored in `cleaned`.
"""

import asyncio
import logging
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import click
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from schemas.codec import decode_output
from schemas.topics import CLEANED, PAGES
from tests.kafka.broker import runner
from tests.kafka.stream import Stream
from workers.kafka.site_settings.records import write_settings
from workers.site_settings.book import settings_version
from workers.site_settings.changes import Overrides, empty_settings, overridden

SITE = "paper.example"
PAGE = b"<nav><a href=/>Home</a></nav><h1>A title</h1><p>A story of ten words, which are these, and more."
INTERVAL_S = 0.05


async def send_pages(stream):
    """Send a page of the site every 50 ms, for ever."""
    producer = AIOKafkaProducer(bootstrap_servers=stream.address)
    await producer.start()
    number = 0
    try:
        while True:
            number += 1
            headers = [("url", f"https://{SITE}/{number}".encode())]
            await producer.send(stream.prefix + PAGES, PAGE, key=SITE.encode(), headers=headers)
            await asyncio.sleep(INTERVAL_S)
    finally:
        await producer.stop()


async def delays_s(stream, rounds):
    """Return the delay of each correction in seconds."""
    consumer = AIOKafkaConsumer(stream.prefix + CLEANED, bootstrap_servers=stream.address)
    await consumer.start()
    sender = asyncio.create_task(send_pages(stream))
    await consumer.getone()  # the worker cleans pages
    found = []
    for number in range(rounds):
        change = Overrides(remove=["h1", f".round-{number}"])
        record = overridden(empty_settings(SITE), change)
        await write_settings(stream.access, stream.prefix, SITE, record)
        stored_s, wanted = time.monotonic(), settings_version(record)
        while decode_output((await consumer.getone()).value).site_settings_version != wanted:
            pass
        found.append(time.monotonic() - stored_s)
    sender.cancel()
    with suppress(asyncio.CancelledError):
        await sender
    await consumer.stop()
    return found


@click.command()
@click.option("--rounds", default=10, show_default=True, help="Number of corrections.")
def main(rounds):
    """Measure how soon a correction of a site holds on a running worker."""
    logging.getLogger("aiokafka").setLevel(
        logging.CRITICAL
    )  # while the new topics get their leaders
    with tempfile.TemporaryDirectory() as folder:
        broker = runner.Broker(Path(folder) / "broker")
        broker.start()
        stream = Stream(broker, "corrections.", Path(folder))
        try:
            stream.start()
            found = sorted(asyncio.run(delays_s(stream, rounds)))
        finally:
            stream.stop_all()
            broker.stop()
    print(
        f"{rounds} corrections: median {statistics.median(found):.2f} s, longest {found[-1]:.2f} s"
    )


if __name__ == "__main__":
    main()
