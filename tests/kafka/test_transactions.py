"""Pages that another program sends in transactions: only those that it commits are cleaned."""

import asyncio
import json

from aiokafka import AIOKafkaProducer

from schemas.topics import CLEANED, DOCUMENTS, PAGES
from tests.kafka.stream import templ, wait_until, write_feed
from tests.kafka.test_monitoring import asked, free_ports
from workers.feeds.files import read_feed
from workers.kafka.broker.feeder import page_headers


async def in_transactions(stream, *rounds):
    """Send the pages of each round in a transaction of its own, which commits them or not."""
    producer = AIOKafkaProducer(
        bootstrap_servers=stream.address, transactional_id=f"{stream.prefix}crawler"
    )
    async with producer:
        for pages, is_committed in rounds:
            await producer.begin_transaction()
            await send(producer, stream, pages)
            end = producer.commit_transaction if is_committed else producer.abort_transaction
            await end()


async def send(producer, stream, pages):
    for page in pages:
        key, headers = page.site.encode(), page_headers(page)
        await producer.send_and_wait(stream.prefix + PAGES, page.body, key=key, headers=headers)


def cleaned_ids(stream):
    return {one.id for records in stream.outputs().values() for one in records}


def ids(pages):
    return {one.id for one in pages}


def test_pages_of_aborted_transactions_are_neither_cleaned_nor_waited_for(stream, tmp_path):
    pages = list(read_feed([write_feed(tmp_path / "feed.jsonl", pages=60, sites=6)]))
    first, aborted, second, last = pages[:20], pages[20:32], pages[32:48], pages[48:]
    asyncio.run(in_transactions(stream, (aborted[:6], False), (first, True)))
    port = free_ports()
    stream.start(TEMPL_METRICS_PORT=str(port))
    for one in (port, port + 1):
        wait_until(lambda one=one: asked(f"http://127.0.0.1:{one}/ready")[0] == 200, stream.log)
    asyncio.run(in_transactions(stream, (second, True), (last, False), (aborted[6:], False)))
    wait_until(lambda: cleaned_ids(stream) == ids(first + second), stream.log)
    stream.wait_until_lag("cleaner", PAGES, 0)
    stream.wait_until_learned()
    assert len(stream.records(CLEANED)) == sum(map(len, stream.outputs().values()))
    assert stream.dead_letters() == {}
    documents = {record.key for record in stream.records(DOCUMENTS)}
    assert len(documents) == len(first + second)
    status = json.loads(templ("status", *stream.options, "--json").stdout)
    progress = [one for role in status["roles"] for one in role["partitions"]]
    assert progress
    assert all((one["committed"] or 0) == one["end"] for one in progress)

    asyncio.run(in_transactions(stream, (last, True)))
    wait_until(lambda: cleaned_ids(stream) == ids(first + second + last), stream.log)
    stream.wait_until_lag("cleaner", PAGES, 0)
    assert "read again" not in stream.log()
    assert "have not moved" not in stream.log()
    assert stream.stop() == 0
    out = ("--to", tmp_path / "out.jsonl", "--dead-letters", tmp_path / "dead")
    templ("feed", "--from-topic", stream.prefix + PAGES, *stream.options, *out)
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == len(first + second + last)


def test_an_open_transaction_holds_up_only_what_comes_after_it(stream, tmp_path):
    """The end of the log is where the open transaction begins; records behind it are not lag."""
    pages = list(read_feed([write_feed(tmp_path / "feed.jsonl", pages=20, sites=1)]))

    async def leave_open():
        producer = AIOKafkaProducer(
            bootstrap_servers=stream.address, transactional_id=f"{stream.prefix}slow"
        )
        async with producer:
            await producer.begin_transaction()
            await send(producer, stream, pages[10:15])
            await asyncio.to_thread(stream.feed, tmp_path / "feed.jsonl")
            await asyncio.to_thread(stream.wait_until_lag, "cleaner", PAGES, 0)
            assert await asyncio.to_thread(cleaned_ids, stream) == ids(pages[:10])
            await producer.commit_transaction()

    asyncio.run(in_transactions(stream, (pages[:10], True)))
    stream.start()
    asyncio.run(leave_open())
    wait_until(lambda: cleaned_ids(stream) == ids(pages), stream.log)
    stream.wait_until_lag("cleaner", PAGES, 0)
    assert stream.stop() == 0
