"""Feeds that are large in one way: pages of one site, sites of one page, pages that wait at the start.

    python -m tests.benchmarks.large_feeds [--one-site 50000] [--one-page-sites 20000] [--lag 100000]

The first two go through `templ run --state`; its time, the largest memory of each of its processes and
the size of the state are printed. For the third the pages are in the topic before a worker starts; what
it has cleaned and learned, and its memory, are printed every half a minute until nothing waits or
`--seconds` have passed. Pages are synthetic, 1.7 kB each. A number of 0 leaves a part out. Needs Java,
Maven and Linux for the third.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from schemas.topics import DOCUMENTS, PAGES
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.kafka_worker import DEFAULTS
from tests.benchmarks.measuring import read_options
from tests.benchmarks.worker_memory import memory_mib
from tests.kafka.small_feed import write_small_feed

MIB = 1 << 20
SEED = 1
SITES = 500
"""Sites of the pages that wait at the start."""
MEASURE_S = 30


def main():
    sizes = {"one_site": 50_000, "one_page_sites": 20_000, "lag": 100_000}
    options = read_options(__doc__, **sizes, seconds=36_000.0)
    with tempfile.TemporaryDirectory(prefix="large-") as name:
        directory = Path(name)
        if options.one_site:
            path = directory / "one-site.jsonl"
            feed = write_small_feed(path, pages=options.one_site, sites=1, seed=SEED)
            run_on_files(f"a site of {options.one_site} pages", feed)
        if options.one_page_sites:
            feed = write_one_page_sites(directory / "sites.jsonl", options.one_page_sites)
            run_on_files(f"{options.one_page_sites} sites of one page", feed)
        if options.lag:
            drain(directory, options.lag, options.seconds)


def write_one_page_sites(path, sites):
    """Write a page for each of so many sites; answers the path."""
    one_site = write_small_feed(path.with_suffix(".one"), pages=sites, sites=1, seed=SEED)
    with path.open("wb") as file:
        for number, line in enumerate(one_site.read_bytes().splitlines(keepends=True)):
            file.write(line.replace(b"site-0.example/", b"site-%d.example/" % number, 1))
    return path


def run_on_files(name, feed):
    """Clean a feed with `templ run` and print what it took."""
    state, out = feed.with_suffix(".state"), feed.with_suffix(".out")
    command = [sys.executable, "-m", "workers", "run", feed, "--out", out, "--state", state]
    started = time.monotonic()
    process = psutil.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
    peaks = {}
    while process.poll() is None:
        for member in [process, *process.children(recursive=True)]:
            try:
                peaks[member.pid] = max(peaks.get(member.pid, 0), member.memory_info().rss)
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.5)
    seconds = time.monotonic() - started
    size = sum(file.stat().st_size for file in state.rglob("*") if file.is_file())
    mib = ", ".join(f"{one / MIB:.0f}" for one in sorted(peaks.values(), reverse=True))
    lines = sum(1 for _ in out.open("rb"))
    print(
        f"{name}: exit code {process.returncode}, {lines} records, {seconds:.0f} s, "
        f"state {size / MIB:.1f} MiB, peak resident MiB of its processes {mib}",
        flush=True,
    )


def drain(directory, pages, seconds):
    """Start a worker on pages that wait, and print how they become fewer."""
    feed = write_small_feed(directory / "lag.jsonl", pages=pages, sites=SITES, seed=SEED)
    with stream_on_a_broker(directory) as stream:
        stream.feed(feed)
        started = time.monotonic()
        stream.start(**DEFAULTS)
        waiting = [pages]
        while any(waiting) and time.monotonic() - started < seconds:
            time.sleep(min(MEASURE_S, max(1, seconds - (time.monotonic() - started))))
            waiting = [
                asyncio.run(stream.lag(role, topic))
                for role, topic in (("cleaner", PAGES), ("refresher", DOCUMENTS))
            ]
            parts = memory_mib(psutil.Process(stream.pid("one")))
            listed = ", ".join(f"{part} {size:.0f}" for part, size in parts.items())
            print(
                f"{time.monotonic() - started:.0f} s: {waiting[0]} pages and {waiting[1]} documents "
                f"wait, {sum(parts.values()):.0f} MiB ({listed})",
                flush=True,
            )


if __name__ == "__main__":
    main()
