"""How soon a correction of a site holds on a running worker.

    python -m tests.benchmarks.corrections --rounds 10

A broker and a worker are started. Pages of one site are sent every 50 ms, and in each round a rule of the
site is changed. What is printed is the time from the moment at which the broker has stored the record of
`site-settings` until the first text that was made with it is stored in `cleaned`. The same number of rules is then
changed by `templ site override`, and the time is counted from the start of that command, as a person sees it.
"""

import asyncio
import logging
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from schemas.codec import decode_output
from schemas.topics import CLEANED, PAGES
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.measuring import read_options
from workers.kafka.site_records import write_settings
from workers.site_settings import Overrides, empty_settings, overridden, settings_version

SITE = "paper.example"
PAGE = b"<nav><a href=/>Home</a></nav><h1>A title</h1><p>A story of ten words, which are these, and more."
INTERVAL_S = 0.05


async def send_pages(stream):
    """Send a page of the site every 50 ms, forever."""
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


async def record(stream, number):
    """Write a rule; return its version and the time from which its delay counts."""
    change = Overrides(remove=["h1", f".round-{number}"])
    settings = overridden(empty_settings(SITE), change)
    await write_settings(stream.access, SITE, settings)
    return settings_version(settings), time.monotonic()


async def command(stream, number):
    """Have `templ site override` write a rule; return its version and the time from which its delay counts."""
    rule = ("--clear-rules", "--remove", f".command-{number}")
    program = (sys.executable, "-m", "workers", "site", "override", SITE, *rule, *stream.options)
    started_s, pipe = time.monotonic(), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*program, stdout=pipe, stderr=pipe)
    _, printed = await process.communicate()
    return printed.decode().split("site_settings_version: ")[1].strip(), started_s


async def delays_s(stream, rounds):
    """Return the delays of the corrections by record and by command, in seconds."""
    consumer = AIOKafkaConsumer(stream.prefix + CLEANED, bootstrap_servers=stream.address)
    await consumer.start()
    sender = asyncio.create_task(send_pages(stream))
    await consumer.getone()  # the worker cleans pages
    delays_s_of = {record: [], command: []}
    for correct, delays in delays_s_of.items():
        for number in range(rounds):
            wanted, started_s = await correct(stream, number)
            while decode_output((await consumer.getone()).value).site_settings_version != wanted:
                pass
            delays.append(time.monotonic() - started_s)
    sender.cancel()
    with suppress(asyncio.CancelledError):
        await sender
    await consumer.stop()
    return delays_s_of[record], delays_s_of[command]


def main():
    """Measure how soon a correction of a site holds on a running worker."""
    rounds = read_options(__doc__, rounds=10).rounds
    logging.getLogger("aiokafka").setLevel(
        logging.CRITICAL
    )  # while the new topics get their leaders
    with (
        tempfile.TemporaryDirectory() as folder,
        stream_on_a_broker(Path(folder), "corrections.") as stream,
    ):
        stream.start()
        measured_s = asyncio.run(delays_s(stream, rounds))
    for name, delays in zip(("stored record", "start of the command"), measured_s, strict=True):
        median_s, longest_s = statistics.median(delays), max(delays)
        print(
            f"{rounds} corrections from the {name}: median {median_s:.2f} s, longest {longest_s:.2f} s"
        )


if __name__ == "__main__":
    main()
