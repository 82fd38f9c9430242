"""A soak: a constant feed for hours, with a fault every two minutes, and what a worker takes meanwhile.

    python -m tests.faults.night [--minutes 120] [--rate 15] [--sites 60] [--fault-s 120] [--settle-minutes 10]

Two workers clean a feed in which pages are fetched again and deleted, and sites have new designs. One of them is
killed, stopped and paused, and loses its state; the broker is stopped, killed and away; pages are hostile or sent
again. The other worker meets only the faults of the broker, so what it takes can be compared over hours: memory of
its processes, open files, its state on disk, records that wait, and the time from a page to its text by the
broker's time stamps. A site is taken down in the first minute, and another one at the end, because each take-down
restarts the processes.

Printed are a line a minute and, for the time after the first minutes, the slope of each thing in percent of its mean
an hour, with its standard error. At the end no page is without an outcome, and no URL's last record is of an older
fetch. Needs Java, Maven and Linux.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
from aiokafka.errors import KafkaError

from schemas.topics import CLEANED, DOCUMENTS, PAGES, TOPICS
from tests.benchmarks.crowd import size_mib
from tests.benchmarks.measuring import read_options
from tests.benchmarks.worker_memory import memory_mib
from tests.faults.disturber import PATIENT, Disturber
from tests.faults.faults import source_of
from tests.kafka.broker import own_broker
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import Stream, templ, wait_until
from workers.errors import WorkerError
from workers.feeds.files import read_feed
from workers.kafka.broker.plain_clients import plain_consumer, read_range
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

STEADY, DISTURBED = "one", "two"
"""The worker that is measured, and the one that faults happen to."""
MEASURE_S = 10.0
FIRST_S = 30.0
"""Time after which the first site is taken down, and before which no fault is."""
STAND_STILL_S = 1_800.0
HOUR_S = 3_600.0
KINDS = (
    *("kill a worker", "kill a process", "stop a worker", "pause a worker"),
    *("lose a state directory", "restart the broker", "broker away"),
    *("hostile pages", "feed sent again"),
)
SEED = 1


class NightDisturber(Disturber):
    """Does to one of two workers, and to the broker of both, what happens in a night."""

    def __init__(self, broker, stream, seed):
        super().__init__(broker, stream, seed, KINDS)
        self._order = self._rng.sample(KINDS, len(KINDS))

    def _any(self):
        return DISTURBED


class Slope(msgspec.Struct, frozen=True):
    """How a thing changes over the time that is measured."""

    mean: float
    percent_an_hour: float
    error: float
    """Standard error of the slope, in the same unit."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """What a soak came to."""

    minutes: float
    pages: int
    faults: dict[str, int]
    lost: int
    """Pages without a text, a deletion or a dead letter."""
    older_last: int
    """URLs whose last record is not of their newest fetch, those of sites that were taken down aside."""
    dead: int
    """Dead letters of pages that were not hostile."""
    left: int
    """Texts of sites that were taken down."""
    slopes: dict[str, Slope]

    def problems(self):
        """What should not be, in words."""
        figures = {
            "pages were lost": self.lost,
            "URLs end with an older fetch": self.older_last,
            "pages are dead letters": self.dead,
            "texts are left of sites that were taken down": self.left,
        }
        return [f"{number} {what}" for what, number in figures.items() if number]


class Latencies:
    """Reads the time stamps of pages and of their texts as they come."""

    def __init__(self, stream):
        self._stream = stream
        self._arrived, self._next = {}, {}

    async def new_ms(self):
        """The times from page to text of the texts since the last call."""
        delays = []
        places = [*self._stream.partitions(PAGES), *self._stream.partitions(CLEANED)]
        async with plain_consumer(self._stream.access) as consumer:
            ends = await consumer.end_offsets(places)
            starts = {place: self._next.get(place, 0) for place in places}
            texts = []
            async for record in read_range(consumer, starts, ends):
                if record.topic.endswith(PAGES):
                    source = f"{record.topic}-{record.partition}-{record.offset}"
                    self._arrived[source] = record.timestamp
                elif source := dict(record.headers).get("source.id"):
                    texts.append((source.decode(), record.timestamp))
        for source, stamp in texts:
            arrived = self._arrived.pop(source, None)  # revisions have no page that waits
            if arrived is not None:
                delays.append(stamp - arrived)
        self._next |= ends
        return delays


def night(broker, prefix, directory, *, minutes, rate, sites, fault_s, settle_minutes, say=print):
    """Soak workers on a broker; answers the `Night`."""
    pages = int(rate * 60 * minutes)
    feed = write_small_feed(
        directory / "feed.jsonl", pages=pages, sites=sites, seed=SEED,
        again_share=0.1, gone_share=0.02, redesign_share=0.5 / 1_000,
    )  # fmt: skip
    stream = Stream(broker, prefix, directory)
    for name in (PAGES, CLEANED):
        stamped = TOPICS[name].config() | {"message.timestamp.type": "LogAppendTime"}
        asyncio.run(stream.configure(stamped, name))
    disturber = NightDisturber(broker, stream, SEED)
    all_pages = list(read_feed([feed]))
    points, latencies = [], Latencies(stream)
    try:
        for name in (STEADY, DISTURBED):
            stream.start(name, **PATIENT)
            wait_until(lambda name=name: '"event":"ready: ' in stream.log(name), stream._logs)
        with ThreadPoolExecutor(1) as threads:
            started_s = time.monotonic()
            sending = threads.submit(asyncio.run, stream.send_pages(all_pages, rate))
            faults, taken_down = 0, []
            while not sending.done():
                time.sleep(MEASURE_S)
                seconds = time.monotonic() - started_s
                if not taken_down and seconds > FIRST_S:
                    taken_down.append(take_down(stream, 0))
                if seconds > FIRST_S + (faults + 1) * fault_s:
                    sent = all_pages[: int(rate * seconds) - 100]
                    name, _ = disturber.one_fault(faults, all_pages[-100:], sent)
                    faults += 1
                    say(f"{seconds:.0f} s, fault {faults}: {name}")
                else:
                    points.append(measure(stream, latencies, seconds))
                    if len(points) % 6 == 0:
                        say(line_of(points[-1]))
            sending.result()
        taken_down.append(take_down(stream, 1))
        stream.wait_until_lag("cleaner", PAGES, 0, STAND_STILL_S)
        stream.wait_until_learned(STAND_STILL_S)
        for name in stream.running():
            stream.stop(name)
        outcome = outcome_of(stream, taken_down)
    finally:
        stream.stop_all()
    late = [one for one in points if one["seconds"] > 60 * settle_minutes]
    return Night(
        minutes=round((time.monotonic() - started_s) / 60, 1),
        pages=len(all_pages),
        faults=dict(disturber.done),
        slopes=slopes_of(late),
        **outcome,
    )


def take_down(stream, number):
    site = f"site-{number}.example"
    templ("site", "forget", site, "--yes", *stream.options)
    return site


def measure(stream, latencies, seconds):
    """What the steady worker takes now."""
    point = {"seconds": seconds}
    with suppress(psutil.NoSuchProcess):  # processes start again after a take-down
        point["files"] = sum(one.num_fds() for one in stream.processes(STEADY))
        parts = memory_mib(psutil.Process(stream.pid(STEADY)))
        point |= {f"{part} MiB": size for part, size in parts.items()}
        point["memory MiB"] = sum(parts.values())
    with suppress(OSError):  # a file that is removed meanwhile
        point["state MiB"] = size_mib(stream.state(STEADY))
    with suppress(KafkaError, WorkerError, OSError):  # the broker is away
        point["lag"] = sum(
            asyncio.run(stream.lag(role, topic)) or 0
            for role, topic in (("cleaner", PAGES), ("refresher", DOCUMENTS))
        )
        taken_ms = asyncio.run(latencies.new_ms())
        if len(taken_ms) > 1:
            point["p50 ms"] = statistics.median(taken_ms)
            point["p99 ms"] = statistics.quantiles(taken_ms, n=100, method="inclusive")[98]
    return point


def line_of(point):
    return ", ".join(f"{name} {value:.0f}" for name, value in point.items())


def slopes_of(points):
    """The slope of each thing that was looked at often enough."""
    slopes = {}
    for name in sorted({name for one in points for name in one} - {"seconds"}):
        at = [(one["seconds"] / HOUR_S, one[name]) for one in points if name in one]
        hours, values = [hour for hour, _ in at], [value for _, value in at]
        mean = statistics.fmean(values)
        if len(values) < 3 or not mean:
            continue
        slope, start = statistics.linear_regression(hours, values)
        rest = sum((value - start - slope * hour) ** 2 for hour, value in at)
        spread = statistics.pvariance(hours) * len(hours)
        error = (rest / (len(at) - 2) / spread) ** 0.5
        percent = [round(100 * one / mean, 1) for one in (slope, error)]
        slopes[name] = Slope(round(mean, 1), *percent)
    return slopes


def outcome_of(stream, taken_down):
    """Fields of the `Night` that the topics tell."""
    pages, cleaned = stream.records(PAGES), stream.records(CLEANED)
    sites = {one.encode() for one in taken_down}
    held = {source_of(one): one for one in pages}
    answered = {dict(one.headers).get("source.id", b"").decode() for one in cleaned}
    letters = stream.dead_letters()
    newest, last, text = {}, {}, {}
    for record in held.values():
        headers = dict(record.headers)
        if "id" in headers and record.key not in sites:
            at = headers["fetched-at"], record.offset
            newest[headers["url"]] = max(newest.get(headers["url"], (at, b"")), (at, headers["id"]))
    for record in cleaned:
        source = dict(record.headers).get("source.id", b"").decode()
        last[record.key] = dict(held[source].headers).get("id") if source in held else None
        text[record.key] = record.value
    gone = [f"https://{site}/".encode() for site in taken_down]
    return {
        "lost": len(held.keys() - answered - letters.keys()),
        "older_last": sum(last.get(url) != id_ for url, (_, id_) in newest.items()),
        "dead": sum("id" in headers for headers, _ in letters.values()),
        "left": sum(
            value is not None and url.startswith(tuple(gone)) for url, value in text.items()
        ),
    }


def main():
    options = read_options(
        __doc__, minutes=120.0, rate=15.0, sites=60, fault_s=120.0, settle_minutes=10.0, keep=Path
    )
    bound_fetches(load_settings().record_limit_bytes)
    with tempfile.TemporaryDirectory(prefix="night-") as scratch:
        directory = options.keep or Path(scratch)
        directory.mkdir(exist_ok=not options.keep)
        with own_broker(directory) as broker:
            figures = night(
                broker, "night.", directory, minutes=options.minutes, rate=options.rate,
                sites=options.sites, fault_s=options.fault_s, settle_minutes=options.settle_minutes,
                say=lambda line: print(line, flush=True),
            )  # fmt: skip
    print(msgspec.json.format(msgspec.json.encode(figures)).decode())
    sys.exit("; ".join(figures.problems()) or 0)


if __name__ == "__main__":
    main()
