"""Feeds and machines that go wrong as a whole, on a real broker."""

import asyncio
import json
import time

import pytest
from aiokafka import AIOKafkaProducer

from schemas.topics import PAGES
from tests.kafka.hostile_records import accept_any_timestamp, send_when_taken
from tests.kafka.stream import wait_until, write_feed
from workers.settings import DAY_MS

pytestmark = pytest.mark.timeout(400)

GOOD = "<title>t</title><body><p>" + "A sentence of some words, and then some more. " * 20
PAUSE_S = 8.0


async def send(stream, messages):
    """Send messages to partition 0 of `pages`: pairs of the value and the timestamp."""
    async with AIOKafkaProducer(bootstrap_servers=stream.address) as producer:
        for value, timestamp_ms in messages:
            await send_when_taken(
                producer, stream.prefix + PAGES, value, partition=0, timestamp_ms=timestamp_ms
            )


def page(number):
    record = {"url": f"https://example.com/{number}", "html": GOOD + f"Page {number}."}
    return json.dumps(record).encode()


def test_a_record_dated_400_days_ahead_makes_no_page_old(stream):
    asyncio.run(accept_any_timestamp(stream))
    now_ms = round(time.time() * 1000)
    before = [(page(number), now_ms - (30 - number) * 1000) for number in range(30)]
    ahead = [(page(99), now_ms + 400 * DAY_MS)]
    after = [(page(number), now_ms + number) for number in range(30, 70)]
    asyncio.run(send(stream, [*before, *ahead, *after]))
    stream.start()
    stream.finish()
    (documents, _), *others = stream.windows("one").values()
    assert others == []
    assert len(documents) == 71
    source = f"{stream.prefix}{PAGES}-0-30"
    (line,) = [one for one in stream.log().splitlines() if "counts as fetched now" in one]
    assert (
        f"{source} is dated 400.0 days after this machine's clock: it counts as fetched now" in line
    )


def test_a_feed_of_records_that_are_no_pages_stops_the_worker(stream):
    asyncio.run(send(stream, [(b"no page", None)] * 60))
    stream.start(TEMPL_DEAD_LETTERS_RUN_MAX="50")
    assert stream.wait_for_end("one") == 65
    assert len(stream.dead_letters()) >= 50
    lines = [one for one in stream.log().splitlines() if "pages in a row" in one]
    assert len(lines) == 1
    assert (
        f"50 pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX), the last one "
        f"{stream.prefix}{PAGES}-0-49 (MissingUrl: " in lines[0]
    )
    assert "Traceback" not in stream.log()


@pytest.mark.usefixtures("whole_processes")
def test_a_machine_that_pauses_during_a_page_blames_no_page(stream, tmp_path):
    entered = tmp_path / "entered"
    feed = write_feed(tmp_path / "feed.jsonl", pages=20)
    lines = feed.read_text().splitlines()
    busy = {"url": "https://example.com/busy", "html": GOOD + f"POISON-BUSY {entered}<br>"}
    feed.write_text("\n".join([*lines[:10], json.dumps(busy), *lines[10:]]))
    stream.feed(feed)
    module = {"TEMPL_CHILD_MODULE": "tests.workers.poison_child", "TEMPL_PAGE_DEADLINE_S": "3"}
    stream.start("one", **module)
    wait_until(entered.exists, stream.log)
    with stream.paused():
        time.sleep(PAUSE_S)
    stream.finish("one")
    assert stream.dead_letters() == {}
