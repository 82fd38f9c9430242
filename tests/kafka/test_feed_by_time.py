"""`templ feed --by-time` with a real broker: archives to a topic through kills, and a topic between two times."""

import os
import signal
import subprocess
import sys
import time

from schemas.topics import PAGES
from templ_core.times import rfc3339
from tests.kafka.stream import templ
from tests.workers.cli.test_feed_by_time import line, sent


def urls(stream):
    return [dict(one.headers)["url"].decode() for one in stream.records(PAGES)]


def test_archives_are_sent_and_a_topic_is_replayed_between_two_times(stream, tmp_path):
    count = 4000
    (tmp_path / "in").mkdir()
    for part in range(2):
        path = tmp_path / "in" / f"{part}.jsonl"
        path.write_bytes(b"".join(line(one) for one in range(part, count, 2)))
    progress = tmp_path / "progress"
    files = ("--progress", progress, "--dead-letters", tmp_path / "dead")
    begun = [
        sys.executable,
        "-m",
        "workers",
        "feed",
        "--by-time",
        tmp_path / "in",
        *stream.options,
        *files,
    ]
    process = subprocess.Popen([*map(str, begun), "--rate", "1500"])
    while b"offset" not in (progress.read_bytes() if progress.exists() else b""):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = templ("feed", "--by-time", tmp_path / "in", *stream.options, *files)
    assert "going on behind" in done.stderr
    cleaned_urls = urls(stream)
    assert {f"https://a.example/{one}" for one in range(count)} == set(cleaned_urls)
    assert len(cleaned_urls) - count <= 500

    records = sorted(stream.records(PAGES), key=lambda one: (one.timestamp, one.partition))
    since_ms = records[len(records) // 4].timestamp
    until_ms = records[len(records) // 2].timestamp
    expected = [one for one in records if since_ms <= one.timestamp < until_ms]
    assert expected
    span = ("--from-topic", stream.prefix + PAGES, "--since", rfc3339(since_ms))
    span += ("--until", rfc3339(until_ms))
    out = ("--to", tmp_path / "out.jsonl", "--dead-letters", tmp_path / "dead2")
    templ("feed", *span, *stream.options, *out)
    assert sent(tmp_path) == [
        int(dict(one.headers)["url"].decode().rpartition("/")[2]) for one in expected
    ]
    again = templ("feed", *span, *stream.options, *out)
    assert f"going on behind {len(expected)} records" in again.stderr
    assert len(sent(tmp_path)) == len(expected)
