"""Reading of a partition pauses while its cleaner is behind: nothing is lost, and reading goes on."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest

from schemas.topics import PAGES
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import ENVIRONMENT, PARTITIONS, WAIT_S, wait_until

BATCH_S = 0.15


@pytest.fixture
def cleaners(stream):
    """Cleaners that take their time, by the name of their state directory."""
    running = {}

    def start(name):
        log = (stream.directory / f"{name}.log").open("ab")
        arguments = (stream.address, stream.prefix, stream.state(name), journal_of(stream), BATCH_S)
        running[name] = subprocess.Popen(
            [sys.executable, "-m", "tests.kafka.paced_cleaner", *map(str, arguments)],
            env={**os.environ, **ENVIRONMENT, "TEMPL_BATCH_PAGES": "4"},
            stdout=log,
            stderr=log,
        )
        log.close()
        return running[name]

    yield start
    for process in running.values():
        process.kill()
        process.wait()


def journal_of(stream):
    return stream.directory / "journal"


def noted(stream, event, name=None):
    """Partition and offset of each note of a kind, in order."""
    path = journal_of(stream)
    notes = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [
        (int(partition), int(offset))
        for who, what, partition, offset in notes
        if what == event and name in (None, who)
    ]


def feed_of(path, pages, seed):
    return write_small_feed(path, pages=pages, sites=24, seed=seed, again_share=0.2)


def test_partitions_that_are_paused_while_they_change_hands_go_on_where_they_were(
    stream, cleaners, tmp_path
):
    stream.feed(feed_of(tmp_path / "feed.jsonl", pages=320, seed=1))
    cleaners("one")
    everywhere = set(range(PARTITIONS))
    wait_until(
        lambda: {number for number, _ in noted(stream, "paused", "one")} == everywhere,
        lambda: stream.log("one"),
    )
    other = cleaners("two")
    wait_until(lambda: "ready" in stream.log("two"), lambda: stream.log("two"))
    stream.feed(feed_of(tmp_path / "more.jsonl", pages=160, seed=3))
    wait_until(lambda: len(noted(stream, "cleaned", "two")) >= 8, lambda: stream.log("two"))
    wait_until(lambda: noted(stream, "paused", "two"), lambda: stream.log("two"))
    other.kill()
    other.wait(WAIT_S)
    stream.wait_until_lag("cleaner", PAGES, 0)
    resumed = {number for number, _ in noted(stream, "resumed")}
    stream.feed(feed_of(tmp_path / "later.jsonl", pages=80, seed=2))
    stream.wait_until_lag("cleaner", PAGES, 0)

    assert resumed == everywhere
    assert stream.answered() == stream.sent()
    assert not stream.dead_letters()
    assert stream.last_sources() == stream.newest_fetches()
    cleaned = noted(stream, "cleaned")
    for number in everywhere:
        firsts = list(dict.fromkeys(offset for one, offset in cleaned if one == number))
        assert all(before < after for before, after in pairwise(firsts))
