"""More partitions under a running stream, compared with the same feed on files.

    python -m tests.faults.repartition [--old 4] [--new 10] [--pages 12000] [--sites 200] [--kills 4]

Two workers clean a feed of small pages. In the middle of it `templ topics repartition` is started, killed
with SIGKILL at several depths, and run to its end, while the crawler goes on sending. Then: no page is
without an outcome, no page is a dead letter, no URL's last record is of an older fetch, every record is in
its site's partition, and windows, refitted models and the texts they give equal those of `templ run` on the
same feed. `cleaned` keeps its partitions and gets no record twice because of the move.

Needs Java and Maven.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from schemas.document import site_of_key
from schemas.topics import CLEANED, DOCUMENTS, PAGES, SITE_MODELS, SITE_SETTINGS
from tests.benchmarks.measuring import read_options
from tests.faults.faults import print_report
from tests.kafka.broker import own_broker
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import Stream, halves, local_run, other_windows, templ, wait_until
from workers.kafka.broker.admin import read_partition_counts
from workers.kafka.broker.partitioning import partition_of

STAND_STILL_S = 3600.0
"""A busy machine takes its time to rebuild windows."""
MOVED = (DOCUMENTS, SITE_MODELS, SITE_SETTINGS)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run with more partitions came to."""

    pages: int
    sent_meanwhile: int
    """Pages that the crawler sent while the command ran."""
    moved: dict[str, int]
    """Records that the last run of the command moved, by topic."""
    kills: int
    lost: int
    """Pages without a cleaned record, a deletion or a dead letter."""
    dead: int
    older_last: int
    """URLs whose last record is not of their newest fetch."""
    misplaced: int
    """Keys whose last record is a value in a partition that is not their site's."""
    sites: int
    other_windows: list[str]
    """Sites whose window, refitted model or texts with it are not those of the run on files."""
    command_seconds: float
    seconds: float

    def problems(self) -> list[str]:
        """What should not be, in words."""
        found = {
            "pages were lost": self.lost,
            "pages are dead letters": self.dead,
            "URLs end with an older fetch": self.older_last,
            "records are in a wrong partition": self.misplaced,
            "sites have other windows or models": len(self.other_windows),
        }
        return [f"{number} {what}" for what, number in found.items() if number]


def repartitioned_run(
    broker, prefix, directory, *, old, new, pages, sites, kills, rate, workers=("one", "two")
):
    """Give a stream more partitions while it runs; answers the report.

    Args:
        broker: A running broker.
        prefix: Begins the names of the topics.
        directory: Where files are written.
        old: Partitions at first.
        new: Partitions in the end.
        pages: Pages of the feed.
        sites: Sites of the feed.
        kills: How often the command is killed.
        rate: Records per second that the command sends until it is not killed any more, and pages per
            second of the crawler.
        workers: Names of the workers.
    """
    started = time.monotonic()
    feed = write_small_feed(
        directory / "feed.jsonl",
        pages=pages,
        sites=sites,
        seed=1,
        again_share=0.03,
        gone_share=0.005,
    )
    first, second = halves(feed)
    stream = Stream(broker, prefix, directory, partitions=old)
    try:
        for name in workers:
            stream.start(name)
        stream.feed(first)
        stream.wait_until_taken(pages // 50, STAND_STILL_S)
        crawler = threading.Thread(target=stream.feed, args=[second], kwargs={"rate": rate})
        crawler.start()
        before, begun = sum(stream.ends(PAGES).values()), time.monotonic()
        for kill in range(kills):
            kill_command(stream, new, rate, copies=(kill + 1) * pages // (8 * kills))
        done = templ(
            *("topics", "repartition", *stream.options, "--partitions", new),
            timeout_s=STAND_STILL_S,
        )
        command_seconds = time.monotonic() - begun
        stream.counts |= dict.fromkeys((PAGES, *MOVED), new)
        sent_meanwhile = sum(stream.ends(PAGES).values()) - before
        crawler.join()
        stream.wait_until_lag("cleaner", PAGES, 0, STAND_STILL_S)
        stream.wait_until_settled(STAND_STILL_S)
        for name in workers:
            assert stream.stop(name) == 0
        windows = stream.windows(*workers)
    finally:
        stream.stop_all()
    _, undisturbed = local_run([first, second], directory, timeout_s=36000)
    newest = stream.newest_fetches()
    last = stream.last_sources()
    return Report(
        pages=pages,
        sent_meanwhile=sent_meanwhile,
        moved=moved_records(done.stdout, prefix),
        kills=kills,
        lost=len(stream.sent() - stream.answered()),
        dead=len(stream.dead_letters()),
        older_last=sum(last.get(url) != source for url, source in newest.items()),
        misplaced=misplaced_records(stream),
        sites=len(windows),
        other_windows=other_windows(undisturbed, windows),
        command_seconds=round(command_seconds, 1),
        seconds=round(time.monotonic() - started, 1),
    )


def kill_command(stream, new, rate, copies):
    """Run the command until so many records are in the new partitions of `documents`, and kill it."""
    old = stream.counts[CLEANED]
    command = [sys.executable, "-m", "workers", "topics", "repartition", *stream.options]
    with (stream.directory / "repartition.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--partitions", str(new), "--rate", str(rate)], stdout=log, stderr=log
        )
    try:
        wait_until(
            lambda: process.poll() is not None or has_grown(stream, new),
            lambda: "`documents` has no more partitions",
            STAND_STILL_S,
        )
        stream.counts[DOCUMENTS] = new
        wait_until(
            lambda: (
                process.poll() is not None
                or sum(end for one, end in stream.ends(DOCUMENTS).items() if one.partition >= old)
                >= copies
            ),
            (stream.directory / "repartition.log").read_text,
            STAND_STILL_S,
        )
        assert process.poll() is None, (stream.directory / "repartition.log").read_text()
    finally:
        process.kill()
        process.wait()
    assert not stream.members("cleaner") | stream.members("refresher")
    problems = templ("topics", "check", *stream.options, expect=78).stderr
    assert "documents.moving: there is this topic" in problems


def has_grown(stream, new):
    counts = asyncio.run(read_partition_counts(stream.access))
    return counts[stream.prefix + DOCUMENTS] == new


def moved_records(printed, prefix):
    """Return the numbers that the command printed, by topic."""
    found = re.findall(
        rf"^{re.escape(prefix)}(\S+): (\d+) of \d+ records moved", printed, re.MULTILINE
    )
    return {topic: int(count) for topic, count in found}


def misplaced_records(stream):
    """Return how many keys have a value as their last record in a partition that is not their site's."""
    values = {
        (topic, one.partition, one.key): one.value
        for topic in MOVED
        for one in sorted(stream.records(topic), key=lambda one: one.offset)
    }
    moved = sum(
        value is not None and partition_of(site_of_key(key), stream.counts[topic]) != number
        for (topic, number, key), value in values.items()
    )
    cleaned = [one for one in stream.records(CLEANED) if one.value is not None]
    sites = [msgspec.json.decode(one.value)["site"] for one in cleaned]
    return moved + sum(
        partition_of(site, stream.counts[CLEANED]) != one.partition
        for site, one in zip(sites, cleaned, strict=True)
    )


def main():
    options = read_options(__doc__, old=4, new=10, pages=12_000, sites=200, kills=4, rate=60.0)
    with tempfile.TemporaryDirectory(prefix="repartition-") as scratch:
        directory = Path(scratch)
        with own_broker(directory) as broker:
            print_report(repartitioned_run(broker, "more.", directory, **vars(options)))


if __name__ == "__main__":
    main()
