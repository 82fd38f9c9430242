"""Throughput and latency of a worker on a real broker, and the rebuild of a lost state.

    python -m tests.benchmarks.kafka_worker FEED [--time-field NAME] [--parts throughput,latency,rebuild]

throughput  sends the feed through `templ run --revisions` and through `templ worker`, and prints the
            processor time of all their processes for each page, without start-up and waiting. The
            ratio compares processor times, because the broker, the feeder and other programs run on
            the same cores; the times of the broker and the feeder are printed too.
latency     sends pages at half of the rate that the cores can do, and prints the time from the broker's time stamp
            of the page to that of the cleaned record, while the worker learns. The time that
            cleaning alone takes for these pages is printed for comparison.
rebuild     deletes the worker's state while pages keep coming, and prints how long it takes to rebuild
            it from `documents`.

Broker and feeder share the cores, so they count in that rate; `--rate` gives another one. The niceness of the
refresher is 0 if other programs would starve it. Needs Java and Maven.
"""

import asyncio
import json
import os
import re
import resource
import shutil
import statistics
import tempfile
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
import psutil

from schemas.topics import CLEANED, DOCUMENTS, PAGES, TOPICS
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.measuring import read_options, read_pages
from tests.kafka.stream import ENVIRONMENT, templ
from workers.kafka.broker.feeder import Feeder
from workers.lab.in_process import InProcess
from workers.pace import Pace
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings, load_settings

WAIT_S = 3600
DEFAULTS = {
    name: str(getattr(Settings(), name.removeprefix("TEMPL_").lower())) for name in ENVIRONMENT
} | {"TEMPL_CLEANER_CHILDREN": str(os.cpu_count())}
"""The settings of a deployment, in place of those that make tests quick."""
WARM_UP_PAGES = 20
IDLE_S = 10
AT_ONCE = 5
"""Number of pages sent each second while windows are rebuilt."""


def main():
    options = read_options(
        __doc__, "feed", time_field="fetched_at", pages=int, rate=float,
        parts="throughput,latency,rebuild", refresher_niceness=int,
    )  # fmt: skip
    if "latency" in options.parts and "throughput" not in options.parts and not options.rate:
        raise SystemExit("the latency needs --rate, or the throughput")
    pages = read_pages([options.feed], options.pages, options.time_field)
    html_bytes = sum(len(one.body or b"") for one in pages)
    cores = psutil.cpu_count()
    print(
        f"{len(pages)} pages, {html_bytes / len(pages):.0f} bytes each, {cores} cores", flush=True
    )
    parts = options.parts.split(",")
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as directory,
        stream_of(Path(directory), worker_settings(options)) as (stream, broker),
    ):
        half_rate = None
        if "throughput" in parts:
            on_files_s = processor_s_on_files(options, len(pages), Path(directory))
            half_rate = throughput(stream, broker, pages, on_files_s) / 2
        if "latency" in parts:
            latency(stream, pages, options.rate or half_rate)
        if "rebuild" in parts:
            rebuild(stream, pages, html_bytes, worker_settings(options))


def worker_settings(options):
    niceness = options.refresher_niceness
    return DEFAULTS | ({} if niceness is None else {"TEMPL_REFRESHER_NICENESS": str(niceness)})


@contextmanager
def stream_of(directory, settings):
    """Yield a worker on topics whose records the broker stamps, and the broker's process."""
    with stream_on_a_broker(directory) as stream:
        for name in (PAGES, CLEANED):
            stamped = TOPICS[name].config() | {"message.timestamp.type": "LogAppendTime"}
            asyncio.run(stream.configure(stamped, name))
        stream.start(**settings)
        below = psutil.Process().children(recursive=True)
        yield stream, next(one for one in below if one.name() == "java")


def throughput(stream, broker, pages, on_files_s):
    """Print the comparison; return the pages a second that the cores can do, with broker and feeder on them."""
    feed_all(stream, pages[:WARM_UP_PAGES], "warm-up")
    stream.wait_until_answered(WAIT_S)
    stream.wait_until_learned(WAIT_S)
    idle = Usage(stream, broker=broker)
    time.sleep(IDLE_S)
    idle_s = {part: seconds / IDLE_S for part, seconds in idle.so_far_s().items()}
    own_before = time.process_time()
    usage, started = Usage(stream, broker=broker), time.monotonic()
    feed_all(stream, pages, "first")
    fed_s = time.monotonic() - started
    stream.wait_until_lag("cleaner", PAGES, 0, WAIT_S)
    cleaned_s = time.monotonic() - started
    stream.wait_until_learned(WAIT_S)
    elapsed_s = time.monotonic() - started
    own_s = time.process_time() - own_before
    used_s = {part: s - elapsed_s * idle_s[part] for part, s in usage.so_far_s().items()}
    broker_s = used_s.pop("broker")
    idle_share = sum(idle_s[part] for part in used_s)
    worker_s = sum(used_s.values())
    each = 1000 / len(pages)
    shares = ", ".join(f"{part} {s * each:.2f}" for part, s in used_s.items())
    print(
        f"templ worker: {worker_s * each:.2f} ms of processor time a page ({shares}), less "
        f"{100 * idle_share:.1f} % of a core that it takes with nothing to do\n"
        f"  ratio templ run / templ worker: {on_files_s / worker_s:.2f}\n"
        f"  the broker beside it {broker_s * each:.2f} ms, the feeder {own_s * each:.2f} ms\n"
        f"  {elapsed_s:.1f} s until all is learned, {cleaned_s:.1f} s until all is cleaned, fed in "
        f"{fed_s:.1f} s; load {psutil.getloadavg()[0]:.1f}",
        flush=True,
    )
    return psutil.cpu_count() * len(pages) / (worker_s + broker_s + own_s)


class Usage:
    """Processor time of the worker's processes and of others, since this object was made."""

    def __init__(self, stream, **others):
        worker = psutil.Process(stream.pid("one"))
        self._parts = {"supervisor": [worker]} | {name: [one] for name, one in others.items()}
        for role in worker.children():
            name = role.cmdline()[role.cmdline().index("--role") + 1]
            self._parts |= {name: [role], f"{name}'s children": role.children()}
        self._before = self.total_s()

    def so_far_s(self):
        """Return the seconds of each part since this object was made."""
        return {part: now - self._before[part] for part, now in self.total_s().items()}

    def total_s(self):
        """Return the seconds of each part since its processes started."""
        return {part: sum(map(processor_s, found)) for part, found in self._parts.items()}


def processor_s(process):
    """Return the processor time of a process so far, without its children."""
    times = process.cpu_times()
    return times.user + times.system


def processor_s_on_files(options, pages, directory):
    """Print and return the processor time of `templ run` on the feed, without its start-up."""
    feed = directory / "feed.jsonl"
    write_records(options, feed, pages)
    nothing = directory / "nothing.jsonl"
    nothing.touch()
    start_s, start_elapsed_s = run_on_files(nothing, directory / "start")
    whole_s, elapsed_s = run_on_files(feed, directory / "whole")
    each = 1000 / pages
    print(
        f"templ run: {(whole_s - start_s) * each:.2f} ms of processor time a page, "
        f"{elapsed_s - start_elapsed_s:.1f} s; load {psutil.getloadavg()[0]:.1f}",
        flush=True,
    )
    return whole_s - start_s


def write_records(options, path, number):
    """Write the pages to a file of page records without compression."""
    with path.open("wb") as file:
        for page in read_pages([options.feed], number, options.time_field):
            record = {
                "url": page.url,
                "site": page.site,
                "id": page.id,
                "fetched_at": page.event_time_ms,
                "html": (page.body or b"").decode("utf-8", "replace"),
            }
            file.write(msgspec.json.encode(record) + b"\n")


def run_on_files(feed, state):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    templ("run", feed, "--revisions", "--out", "/dev/null", "--state", state, timeout_s=WAIT_S)
    elapsed_s = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed_s


def feed_all(stream, pages, name, rate=None):
    """Send the pages under new ids and URLs."""

    async def send():
        limit_bytes = load_settings().message_limit_bytes
        pace = Pace(rate) if rate else None
        async with Feeder(stream.access, limit_bytes) as feeder:
            for number, page in enumerate(pages):
                if pace is not None:
                    await pace.wait()
                url = f"{page.url}#{name}-{number}"
                await feeder.send(msgspec.structs.replace(page, url=url, id=f"{name}-{number}"))

    asyncio.run(send())


def latency(stream, pages, rate):
    """Print the time that pages take from their arrival to their cleaned records."""
    cleaning_ms = [1000 * one for one in cleaning_s(pages)]
    feed_all(stream, pages, "calm", rate)
    stream.wait_until_answered(WAIT_S)
    taken_ms = latencies_ms(stream, "calm")
    beyond = percentile(taken_ms, 99) - percentile(cleaning_ms, 99)
    print(
        f"latency at {rate:.1f} pages/s: p50 {percentile(taken_ms, 50):.0f} ms, "
        f"p99 {percentile(taken_ms, 99):.0f} ms, most {max(taken_ms):.0f} ms\n"
        f"  cleaning alone: p50 {percentile(cleaning_ms, 50):.0f} ms, "
        f"p99 {percentile(cleaning_ms, 99):.0f} ms (processor time, no site model)\n"
        f"  p99 beyond it: {beyond:.0f} ms; load {psutil.getloadavg()[0]:.1f}",
        flush=True,
    )


def cleaning_s(pages):
    """Yield the processor time of cleaning each page."""
    settings = load_settings()
    cleaner = PageCleaner(InProcess(page_model_of(read_model_file(None))), settings)
    cleaner.clean(pages[0])
    for page in pages:
        started = time.process_time()
        cleaner.clean(page)
        yield time.process_time() - started


def latencies_ms(stream, name):
    """Return the time from each page with a name to its first output, by the broker's stamps."""
    arrived = {
        f"{one.topic}-{one.partition}-{one.offset}": one.timestamp
        for one in stream.records(PAGES)
        if dict(one.headers)["id"].decode().startswith(f"{name}-")
    }
    out = {}
    for record in stream.records(CLEANED):
        source = dict(record.headers)["source.id"].decode()
        out[source] = min(record.timestamp, out.get(source, record.timestamp))
    return [out[source] - stamp for source, stamp in arrived.items()]


def percentile(values, share):
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1]


def rebuild(stream, pages, html_bytes, settings):
    """Delete the worker's state; print how long rebuilding takes, and the latency meanwhile."""
    stream.wait_until_learned(WAIT_S)
    stream.stop()
    log_bytes = len(stream.log())
    shutil.rmtree(stream.state())
    documents = len({one.key for one in stream.records(DOCUMENTS)})
    stream.start(**settings)
    feed_all(stream, pages[:1], "first after")
    stream.wait_until_answered(WAIT_S)
    usage = Usage(stream)
    sent = 0
    while rebuilt_s(stream.log()[log_bytes:]) is None:
        feed_all(stream, pages[:AT_ONCE], f"meanwhile-{sent}", AT_ONCE)
        sent += AT_ONCE
    used_s = sum(s for part, s in usage.total_s().items() if part.startswith("refresher"))
    stream.wait_until_answered(WAIT_S)
    seconds = rebuilt_s(stream.log()[log_bytes:])
    gigabytes = documents * html_bytes / len(pages) / 1e9
    print(
        f"rebuild of {documents} documents: {seconds:.1f} s, {used_s:.1f} s of processor time with the "
        f"start\n  for 10 000 pages: {seconds * 10_000 / documents:.0f} s, "
        f"{used_s * 10_000 / documents:.0f} s of processor time; "
        f"for a GB of HTML: {seconds / gigabytes:.0f} s, {used_s / gigabytes:.0f} s",
        flush=True,
    )
    if sent:
        taken_ms = latencies_ms(stream, "meanwhile")
        print(
            f"  {sent} pages meanwhile, {AT_ONCE} a second: p50 {percentile(taken_ms, 50):.0f} ms, "
            f"p99 {percentile(taken_ms, 99):.0f} ms; load {psutil.getloadavg()[0]:.1f}",
            flush=True,
        )


def rebuilt_s(log):
    """Return the seconds from the first partition's start to the last one's end, or None before."""
    begun = stamps(log, "reading")
    ended = stamps(log, "up to date")
    return max(ended) - min(begun) if begun and len(ended) >= len(begun) else None


def stamps(log, what):
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    said = [one for one in lines if re.match(rf"store of \S+: {what}", one["event"])]
    return [datetime.fromisoformat(one["time"]).timestamp() for one in said]


if __name__ == "__main__":
    main()
