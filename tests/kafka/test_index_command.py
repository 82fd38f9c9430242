"""`templ index` on the topic `cleaned` of a real broker, behind a real worker."""

import json
import signal
import sqlite3
import subprocess
import sys
import time

from schemas.codec import decode_output, encode_json
from schemas.topics import CLEANED
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import WAIT_S, templ
from tests.workers.builders import cleaned_text
from workers.indexes.cleaned_index import LogPlace
from workers.indexes.sqlite_index import SqliteIndex

DAY_MS = 24 * 3600 * 1000


def texts(path):
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT url, text FROM pages WHERE NOT is_deleted"))


def newest(stream):
    """What the compacted topic says: the last text of each URL that is not deleted."""
    last = {record.key.decode(): record.value for record in stream.records(CLEANED)}
    return {url: json.loads(value)["text"] for url, value in last.items() if value is not None}


def produce(stream, *records, days_ago=0):
    time_ms = round(time.time() * 1000) - days_ago * DAY_MS
    place = {"partition": 0, "timestamp_ms": time_ms}
    stream.send(
        CLEANED, *({"key": url.encode(), "value": value, **place} for url, value in records)
    )


def test_the_index_holds_what_a_worker_has_published(stream, tmp_path):
    feed = write_small_feed(
        tmp_path / "feed.jsonl", pages=60, sites=3, seed=5, again_share=0.2, gone_share=0.1
    )
    stream.feed(feed)
    stream.start()
    stream.wait_until_settled()
    stream.stop()
    index = tmp_path / "index.db"
    templ("index", "--index", index, *stream.options)
    published = newest(stream)
    assert texts(index) == published
    gone = {record.key.decode() for record in stream.records(CLEANED)} - published.keys()
    assert gone
    assert (
        "0 texts written, 0 deleted, 0 unchanged"
        in templ("index", "--index", index, *stream.options).stderr
    )

    follower = subprocess.Popen(
        [sys.executable, "-m", "workers", "index", "--index", index, *stream.options, "--follow"],
        stderr=subprocess.PIPE,
        text=True,
    )
    url, other = sorted(published)[:2]
    last = next(one for one in stream.records(CLEANED) if one.key.decode() == url and one.value)
    revised = json.loads(last.value) | {"revision": 99, "text": "revised at last"}
    value = json.dumps(revised).encode()
    produce(stream, (url, b"no record"), (url, value), (other, None))
    until = time.monotonic() + WAIT_S
    while texts(index).keys() != published.keys() - {other} and time.monotonic() < until:
        time.sleep(0.1)
    follower.send_signal(signal.SIGTERM)
    _, printed = follower.communicate(timeout=WAIT_S)
    assert follower.returncode == 0
    expected = published | {url: "revised at last"}
    del expected[other]
    assert texts(index) == expected
    assert printed.count("is left out") == 1
    assert "Traceback" not in printed


def test_deletions_that_may_be_gone_from_the_topic_are_found_by_reading_it_again(stream, tmp_path):
    def named(page):
        record = cleaned_text("a", page, "words")
        return record.url, encode_json(record)

    produce(stream, named("stays"), days_ago=3)
    index = tmp_path / "index.db"
    templ("index", "--index", index, *stream.options)
    assert len(texts(index)) == 1
    produce(stream, named("new"), days_ago=2)
    gone = decode_output(named("gone")[1])
    with SqliteIndex(index) as opened, opened.transaction():
        opened.apply(gone, LogPlace(stream.prefix + CLEANED, 0, 0))  # its null value is gone, too
    done = templ("index", "--index", index, *stream.options)
    assert "is read again from its start: deletions that were never read may be gone" in done.stderr
    assert texts(index).keys() == {"https://a/stays", "https://a/new"}
