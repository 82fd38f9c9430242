"""A worker on a real broker with very many sites, and beside one site that is a large part of the feed.

    python -m tests.benchmarks.crowd [--sites 100000] [--seconds 900]
    python -m tests.benchmarks.crowd --parts hot [--rate 40] [--seconds 90] [--rounds 2]

many  Sends three pages of each site, the first of all sites before the second, as fast as the worker learns
      them, until all are sent or the seconds have passed. Ten times on the way, or every minute, it prints the
      memory of each part of the worker, its open files and its state on disk; then it stops the worker and
      prints how long it takes to start, and to clean a page of a known and of a new site. Slopes are those of
      the second half.
hot   Sends pages of 2 000 sites for so many seconds, without and with a site that is 30 % of the feed, in turn,
      and prints the time from each page of the other sites to its text, by the broker's time stamps. The other
      sites have the same rate both times.

Pages are synthetic, 1.7 kB each. Needs Java, Maven and Linux.
"""

import asyncio
import random
import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path

import psutil

from schemas.topics import CLEANED, PAGES, TOPICS
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.kafka_worker import DEFAULTS, percentile
from tests.benchmarks.measuring import read_options
from tests.benchmarks.worker_memory import memory_mib
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import wait_until
from workers.feeds.files import read_feed

ENVIRONMENT = DEFAULTS | {"TEMPL_REFRESHER_NICENESS": "0"}
"""The settings of a deployment, with a refresher that other programs do not starve."""
PAGES_PER_SITE = 3
PAGES_AT_ONCE = 2_000
MEASURE_S = 60.0
WAIT_S = 3_600
MIB = 1 << 20
HOT_SITES = 2_000
HOT_SHARE = 0.3
HOT = "site-0.example"
SEED = 1


def main():
    options = read_options(__doc__, parts="many", sites=100_000, seconds=900.0, rate=40.0, rounds=2)
    with tempfile.TemporaryDirectory(prefix="crowd-") as name:
        directory = Path(name)
        with stream_on_a_broker(directory) as stream:
            if options.parts == "hot":
                hot(stream, directory, options)
            else:
                many(stream, directory, options)


def many(stream, directory, options):
    """Print what grows with the number of sites, and what a start takes then."""
    sites = options.sites
    feed = write_crowd(directory / "crowd.jsonl", PAGES_PER_SITE * sites, sites)
    coming, sent, points = read_feed([feed]), 0, []
    stream.start(**ENVIRONMENT)
    started_s = measured_s = time.monotonic()
    while some := list(islice(coming, PAGES_AT_ONCE)):
        asyncio.run(stream.send_pages(some))
        sent += len(some)
        stream.wait_until_taken(PAGES_AT_ONCE // 2, WAIT_S)
        now_s = time.monotonic()
        is_last = now_s - started_s > options.seconds or sent == PAGES_PER_SITE * sites
        if is_last or now_s - measured_s > MEASURE_S or sent % (PAGES_PER_SITE * sites // 10) == 0:
            measured_s = now_s
            points.append(measure(stream, sent, min(sent, sites), now_s - started_s))
        if is_last:
            break
    stream.wait_until_taken(wait_s=WAIT_S)
    points.append(measure(stream, sent, min(sent, sites), time.monotonic() - started_s))
    print_slopes(points)
    print_start(stream, directory, sites)


def write_crowd(path, pages, sites):
    """Write a feed in which all sites come in turn; answers the path."""
    one_site = write_small_feed(path.with_suffix(".one"), pages=pages, sites=1, seed=SEED)
    with path.open("wb") as file, one_site.open("rb") as lines:
        for number, line in enumerate(lines):
            named = b"crowd-%d.example/" % (number % sites)
            file.write(line.replace(b"site-0.example/", named, 1))
    one_site.unlink()
    return path


def measure(stream, pages, sites, seconds):
    """Return, and print, what the worker takes after so many pages of so many sites."""
    figures = {
        "pages": pages,
        "sites": sites,
        "files": sum(one.num_fds() for one in stream.processes()),
        "state MiB": size_mib(stream.state()),
    } | memory_mib(psutil.Process(stream.pid("one")))
    listed = ", ".join(f"{name} {value:.0f}" for name, value in figures.items())
    print(f"{seconds:.0f} s: {listed}", flush=True)
    return figures


def size_mib(folder):
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / MIB


def print_slopes(points):
    """Print how much of each thing 10 000 pages more take, in the second half."""
    late = points[len(points) // 2 :]
    pages = [one["pages"] for one in late]
    if len(set(pages)) > 1:
        for name in late[0].keys() - {"pages", "sites"}:
            slope, _ = statistics.linear_regression(pages, [one[name] for one in late])
            print(f"{name}: {10_000 * slope:+.2f} for 10 000 pages more", flush=True)


def print_start(stream, directory, sites):
    """Print what a start with all that was learned takes."""
    stream.stop()
    ready = stream.log().count('"event":"ready: ')
    new = write_crowd(directory / "new.jsonl", 2, 1)
    known = write_crowd(directory / "known.jsonl", sites + 1, sites)
    started_s = time.monotonic()
    stream.start(**ENVIRONMENT)
    wait_until(lambda: stream.log().count('"event":"ready: ') >= ready + 2, stream.log, WAIT_S)
    print(f"ready {time.monotonic() - started_s:.1f} s after the start", flush=True)
    pages = [*islice(read_feed([new]), 1), *islice(read_feed([known]), sites, sites + 1)]
    asyncio.run(stream.send_pages(pages))
    stream.wait_until_taken(wait_s=WAIT_S)
    print(f"two pages are cleaned after {time.monotonic() - started_s:.1f} s", flush=True)
    measure(stream, 0, sites, time.monotonic() - started_s)


def hot(stream, directory, options):
    """Print the latency of the pages of other sites, without and beside a hot one."""
    for name in (PAGES, CLEANED):
        stamped = TOPICS[name].config() | {"message.timestamp.type": "LogAppendTime"}
        asyncio.run(stream.configure(stamped, name))
    seconds = min(options.seconds, 90.0) if options.seconds == 900.0 else options.seconds
    count = int(options.rate * seconds)
    phases = 2 * options.rounds
    pages = 2 * HOT_SITES + phases * count
    feed = write_small_feed(directory / "feed.jsonl", pages=pages, sites=HOT_SITES, seed=SEED)
    hot_feed = write_small_feed(directory / "hot.jsonl", pages=pages, sites=1, seed=SEED + 1)
    others = (one for one in read_feed([feed]) if one.site != HOT)
    hottest, rng = read_feed([hot_feed]), random.Random(SEED)
    stream.start(**ENVIRONMENT)
    asyncio.run(stream.send_pages(islice(others, 2 * HOT_SITES)))
    stream.wait_until_taken(wait_s=WAIT_S)
    for number in range(phases):
        is_hot = bool(number % 2)
        starts = {place.partition: end for place, end in stream.ends(PAGES).items()}
        mixed = [next(hottest) if rng.random() < HOT_SHARE else next(others) for _ in range(count)]
        if not is_hot:
            mixed = [one for one in mixed if one.site != HOT]
        asyncio.run(stream.send_pages(mixed, len(mixed) / seconds))
        stream.wait_until_taken(wait_s=WAIT_S)
        taken_ms = latencies_ms(stream, starts)
        name = "beside a hot site" if is_hot else "without it"
        print(
            f"{len(taken_ms)} pages of other sites {name}, {len(mixed) / seconds:.0f} pages/s: "
            f"p50 {percentile(taken_ms, 50):.0f} ms, p99 {percentile(taken_ms, 99):.0f} ms, most "
            f"{max(taken_ms):.0f} ms; load {psutil.getloadavg()[0]:.1f}",
            flush=True,
        )


def latencies_ms(stream, starts):
    """Return the time from each page of other sites behind these offsets to its first text."""
    arrived = {
        f"{one.topic}-{one.partition}-{one.offset}": one.timestamp
        for one in stream.records(PAGES)
        if one.offset >= starts[one.partition] and one.key != HOT.encode()
    }
    out = {}
    for record in stream.records(CLEANED):
        source = dict(record.headers)["source.id"].decode()
        out[source] = min(record.timestamp, out.get(source, record.timestamp))
    return [out[source] - stamp for source, stamp in arrived.items()]


if __name__ == "__main__":
    main()
