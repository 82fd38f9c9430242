"""Random faults over a stream on a real broker, compared with the same feed undisturbed.

    python -m tests.faults.faults [--seed N] [--faults 100] [--pages 20000] [--sites 500]

Two workers, sometimes three, clean a feed of small pages while processes are killed, workers stopped,
lost and joined, the broker restarted and the site models lost, evenly over the feed. Then: no page
without an outcome, revisions in order, no URL whose last record is of an older fetch, and windows,
refitted models and the texts they give equal to those of `templ run` on the same feed. Needs Java and
Maven.
"""

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import msgspec
import psutil

from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS
from tests.kafka.broker import runner
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import Stream, local_run
from workers.feeds.files import read_feed
from workers.kafka.broker.feeder import Feeder
from workers.settings import load_settings

PATIENT = {
    "TEMPL_WINDOW_PAGES_MAX": "40",
    "TEMPL_REVISIONS_PER_S": "200",
    "TEMPL_BATCH_PAGES": "32",
    "TEMPL_SESSION_TIMEOUT_S": "6",
    "TEMPL_STALL_TIMEOUT_S": "120",
}
"""A busy machine must not be taken for stalled, and windows are to be full."""
PAUSE_S = 8.0
"""How long a paused worker is paused; its session ends before."""
STAND_STILL_S = 3600.0
"""A busy machine takes its time to rebuild windows."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a disturbed run came to."""

    faults: dict[str, int]
    pages: int
    lost: int
    """Pages without a cleaned record, a deletion or a dead letter."""
    dead: int
    repeated: int
    """Records beyond the first of a source and revision."""
    broken_sequences: int
    """Sources whose revisions do not follow each other from 0."""
    revisions: int
    sites: int
    older_last: int
    """URLs whose last record is not of their newest fetch."""
    other_windows: list[str]
    """Sites whose window, refitted model or texts with it are not those of the undisturbed run."""
    seconds: float

    def problems(self) -> list[str]:
        """What should not be, in words."""
        found = {
            "pages were lost": self.lost,
            "pages are dead letters": self.dead,
            "sources have revisions out of order": self.broken_sequences,
            "URLs end with an older fetch": self.older_last,
            "sites have other windows or models": len(self.other_windows),
        }
        return [f"{number} {what}" for what, number in found.items() if number]


class Disturber:
    """Does to a stream what a machine room does."""

    def __init__(self, broker, stream: Stream, seed: int) -> None:
        self._broker = broker
        self._stream = stream
        self._rng = random.Random(seed)
        self._third = False
        self.done: Counter[str] = Counter()
        self._faults = {
            "kill a worker": self._kill_worker,
            "kill a process": self._kill_process,
            "stop a worker": self._stop_worker,
            "rebalance": self._rebalance,
            "restart the broker": self._restart_broker,
            "lose a state directory": self._lose_state,
            "lose site-models": self._lose_site_models,
            "damage a store": self._damage_store,
            "pause a worker": self._pause_worker,
        }

    def start(self) -> None:
        for name in ("one", "two"):
            self._stream.start(name, **PATIENT)

    def one_fault(self) -> str:
        name = self._rng.choice(list(self._faults))
        self._faults[name]()
        self.done[name] += 1
        return name

    def _kill_worker(self) -> None:
        name = self._any()
        self._stream.stop(name, signal.SIGKILL)
        self._pause()
        self._stream.start(name, **PATIENT)

    def _kill_process(self) -> None:
        worker = psutil.Process(self._stream.pid(self._any()))
        below = worker.children(recursive=True)
        if below:
            self._rng.choice(sorted(below, key=lambda one: one.pid)).kill()

    def _stop_worker(self) -> None:
        name = self._any()
        self._stream.stop(name)
        self._pause()
        self._stream.start(name, **PATIENT)

    def _rebalance(self) -> None:
        if self._third:
            self._stream.stop("three")
        else:
            self._stream.start("three", **PATIENT)
        self._third = not self._third

    def _restart_broker(self) -> None:
        if self._rng.random() < 0.5:
            self._broker.kill()
        else:
            self._broker.stop()
        self._pause()
        self._broker.start()

    def _lose_state(self) -> None:
        name = self._any()
        self._stream.stop(name, signal.SIGKILL)
        self._pause()
        shutil.rmtree(self._stream.state(name), ignore_errors=True)
        self._stream.start(name, **PATIENT)

    def _lose_site_models(self) -> None:
        self._stream.lose_log(self._broker, SITE_MODELS)

    def _damage_store(self) -> None:
        name = self._any()
        self._stream.stop(name, signal.SIGKILL)
        files = [
            file
            for kind in ("*.sst", "*.blob", "*.log", "MANIFEST-*", "CURRENT")
            for file in sorted(self._stream.state(name).glob(f"*/*/{kind}"))
            if not file.parent.name.endswith(".damaged")
        ]
        if files:
            file = self._rng.choice(files)
            content = bytearray(file.read_bytes())
            if content:
                content[self._rng.randrange(len(content))] ^= 1 << self._rng.randrange(8)
            file.write_bytes(content)
        self._stream.start(name, **PATIENT)

    def _pause_worker(self) -> None:
        """Stop a worker's processes for longer than its session, as a machine that is moved."""
        worker = psutil.Process(self._stream.pid(self._any()))
        processes = [worker, *worker.children(recursive=True)]
        for process in processes:
            process.suspend()
        time.sleep(PAUSE_S)
        for process in processes:
            process.resume()

    def _any(self) -> str:
        return self._rng.choice(["one", "two", *(["three"] if self._third else [])])

    def _pause(self) -> None:
        time.sleep(self._rng.uniform(0, 1.5))


def disturbed_run(broker, prefix, directory, *, seed, faults, pages, sites, say=lambda _: None):
    """Run a feed disturbed on the broker, then undisturbed on files; answers the report."""
    started = time.monotonic()
    feed = write_small_feed(
        directory / "feed.jsonl",
        pages=pages,
        sites=sites,
        seed=seed,
        again_share=0.03,
        gone_share=0.005,
    )
    stream = Stream(broker, prefix, directory)
    disturber = Disturber(broker, stream, seed)
    slices = batched(read_feed([feed]), -(-pages // (faults + 1)))
    try:
        disturber.start()
        for number, some in enumerate(slices):
            asyncio.run(send(stream, some))
            if number < faults:
                wait_until_taken(stream, len(some))
                fault = disturber.one_fault()
                say(f"{time.monotonic() - started:.0f} s, fault {number + 1}: {fault}")
        stream.wait_until_answered(STAND_STILL_S)
        stream.wait_until_learned(STAND_STILL_S)
        for name in stream.running():
            stream.stop(name)
    finally:
        stream.stop_all()
    names = [name for name in ("one", "two", "three") if stream.state(name).exists()]
    outcome = outcome_of(stream)
    say(f"{time.monotonic() - started:.0f} s, undisturbed runs next: {outcome}")
    windows = stream.windows(*names, **PATIENT)
    _, undisturbed = local_run([feed], directory, timeout_s=36000, **PATIENT)
    return Report(
        **outcome,
        faults=dict(disturber.done),
        sites=len(windows),
        other_windows=sorted(
            site
            for site in undisturbed.keys() | windows.keys()
            if undisturbed.get(site) != windows.get(site)
        ),
        seconds=round(time.monotonic() - started, 1),
    )


def batched(items, size):
    """The items in lists of `size`, the last one shorter."""
    remaining = iter(items)
    while some := list(islice(remaining, size)):
        yield some


async def send(stream, pages):
    async with Feeder(stream.address, stream.prefix, load_settings().message_limit_bytes) as feeder:
        for page in pages:
            assert await feeder.send(page) is None


def wait_until_taken(stream, most_waiting):
    """Wait until both groups are at most so many records behind: a fault then meets live work."""
    for role, topic in (("cleaner", PAGES), ("refresher", DOCUMENTS)):
        stream.wait_until_lag(role, topic, most_waiting, STAND_STILL_S)


def outcome_of(stream):
    """What the topics tell, by the fields of the report."""
    sent = stream.sent()
    revisions: defaultdict[object, list[int]] = defaultdict(list)
    for source, records in stream.outputs().items():
        revisions[source] += [one.revision for one in records]
    sequences = [sorted(set(some)) for some in revisions.values()]
    newest, last = stream.newest_fetches(), stream.last_sources()
    return {
        "pages": len(sent),
        "lost": len(sent - stream.answered()),
        "dead": len(stream.dead_letters()),
        "repeated": sum(len(some) - len(set(some)) for some in revisions.values()),
        "broken_sequences": sum(one != list(range(len(one))) for one in sequences),
        "revisions": sum(len(one) - 1 for one in sequences),
        "older_last": sum(last.get(url) != source for url, source in newest.items()),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--faults", type=int, default=100)
    arguments.add_argument("--pages", type=int, default=20_000)
    arguments.add_argument("--sites", type=int, default=500)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as directory:
        broker = runner.Broker(Path(directory) / "kafka")
        broker.start()
        try:
            found = disturbed_run(
                broker,
                "faults.",
                Path(directory),
                seed=options.seed,
                faults=options.faults,
                pages=options.pages,
                sites=options.sites,
                say=lambda line: print(line, flush=True),
            )
        finally:
            broker.stop()
    print(msgspec.json.format(msgspec.json.encode(found)).decode())
    sys.exit("; ".join(found.problems()) or 0)


if __name__ == "__main__":
    main()
