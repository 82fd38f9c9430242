"""Memory of a worker on a real broker while the number of pages and sites grows, with a plot.

    python -m tests.benchmarks.worker_memory [--pages 200000] [--sites 5000] [--out DIRECTORY]

Pages are synthetic, 1.7 kB each, and are sent as fast as the worker learns from them. The proportional
set size of each part of the worker (its own memory and its share of shared memory) is printed twenty
times on the way. Needs Java, Maven and Linux.
"""

import asyncio
import tempfile
import time
from itertools import islice
from pathlib import Path

import psutil

from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.kafka_worker import DEFAULTS
from tests.benchmarks.measuring import read_options, write_chart
from tests.kafka.small_feed import write_small_feed
from workers.feeds.files import read_feed

WAIT_S = 36_000
POINTS = 20
MIB = 1 << 20
SEED = 1


def main():
    options = read_options(__doc__, pages=200_000, sites=5_000, out=Path)
    with tempfile.TemporaryDirectory(prefix="memory-") as name:
        directory = Path(name)
        with stream_on_a_broker(directory) as stream:
            stream.start(**DEFAULTS)
            points = measure(stream, options.pages, options.sites, directory)
    lines = {part: [(pages, parts[part]) for pages, parts in points] for part in points[0][1]}
    title = f"Memory of a worker, {options.sites} sites"
    write_chart(options.out, "worker-memory", title, "pages", "MiB", lines)


def measure(stream, pages, sites, directory):
    """Return the number of pages learned and the MiB of each part, twenty times."""
    feed = write_small_feed(directory / "feed.jsonl", pages=pages, sites=sites, seed=SEED)
    coming = read_feed([feed])
    points = []
    started = time.monotonic()
    sent = 0
    while some := list(islice(coming, max(pages // POINTS, 1))):
        asyncio.run(stream.send_pages(some))
        sent += len(some)
        stream.wait_until_taken(wait_s=WAIT_S)
        parts = memory_mib(psutil.Process(stream.pid("one")))
        points.append((sent, parts))
        listed = ", ".join(f"{part} {size:.0f}" for part, size in parts.items())
        total = sum(parts.values())
        seconds = time.monotonic() - started
        print(f"{sent:7} pages, {seconds:.0f} s: {total:.0f} MiB ({listed})", flush=True)
    return points


def memory_mib(worker):
    """Return the MiB of each part of a worker."""
    parts = {"supervisor": size_mib(worker)}
    for role in worker.children():
        name = role.cmdline()[role.cmdline().index("--role") + 1]
        parts[name] = size_mib(role)
        parts[f"{name}'s children"] = sum(map(size_mib, role.children()))
    return parts


def size_mib(process):
    return process.memory_full_info().pss / MIB


if __name__ == "__main__":
    main()
