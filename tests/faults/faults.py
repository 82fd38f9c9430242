"""Random faults over a stream on a real broker, compared with the same feed undisturbed.

    python -m tests.faults.faults [--seed N] [--faults 100] [--pages 20000] [--sites 500]

Two workers, sometimes three, clean a synthetic feed while processes are killed, workers stopped, lost
and joined, and the broker restarted. Then: no page without an outcome, revisions in order, and windows
and refitted models equal to those of `templ run` on the same feed. Needs Java and Maven.
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
from pathlib import Path

import msgspec
import psutil
from aiokafka import TopicPartition

from schemas.topics import CLEANED, DEAD_LETTERS
from tests.kafka.conftest import runner
from tests.kafka.stream import PARTITIONS, Stream, local_run, write_feed
from workers.kafka.plain_consumer import plain_consumer

PATIENT = {
    "TEMPL_PAGE_DEADLINE_S": "60",
    "TEMPL_WINDOW_PAGES_MAX": "40",
    "TEMPL_REVISIONS_PER_S": "200",
}
"""A busy machine must not refuse pages, and windows are to be full."""
STAND_STILL_S = 1200.0
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
    """Sources whose revisions do not follow each other from 0, or are more than two."""
    revisions: int
    sites: int
    other_windows: list[str]
    """Sites whose window or refitted model is not that of the undisturbed run."""
    seconds: float

    def problems(self) -> list[str]:
        """What should not be, in words."""
        found = {
            "pages were lost": self.lost,
            "pages are dead letters": self.dead,
            "sources have revisions out of order": self.broken_sequences,
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

    def _any(self) -> str:
        return self._rng.choice(["one", "two", *(["three"] if self._third else [])])

    def _pause(self) -> None:
        time.sleep(self._rng.uniform(0, 1.5))


def disturbed_run(broker, prefix, directory, *, seed, faults, pages, sites, say=lambda _: None):
    """Run a feed undisturbed on files, then disturbed on the broker; answers the report."""
    started = time.monotonic()
    feed = write_feed(directory / "feed.jsonl", pages=pages, sites=sites, seed=seed)
    _, undisturbed = local_run([feed], directory, timeout_s=36000, **PATIENT)
    say(f"undisturbed: {len(undisturbed)} sites in {time.monotonic() - started:.0f} s")
    stream = Stream(broker, prefix, directory)
    stream.feed(feed)
    disturber = Disturber(broker, stream, seed)
    try:
        disturber.start()
        for number in range(faults):
            wait_for_outputs(stream, number * pages // (faults + 1))
            say(f"{outputs(stream)} outputs, fault {number + 1}: {disturber.one_fault()}")
        stream.wait_until_answered(STAND_STILL_S)
        stream.wait_until_learned(STAND_STILL_S)
        for name in stream.running():
            stream.stop(name)
    finally:
        stream.stop_all()
    names = [name for name in ("one", "two", "three") if stream.state(name).exists()]
    windows = stream.windows(*names, **PATIENT)
    return report(stream, disturber, undisturbed, windows, time.monotonic() - started)


def wait_for_outputs(stream, wanted):
    """Wait until so many records are out; goes on where nothing moves."""
    last, moved_at = -1, time.monotonic()
    while (now := outputs(stream)) < wanted:
        if now != last:
            last, moved_at = now, time.monotonic()
        if time.monotonic() - moved_at > STAND_STILL_S:
            raise AssertionError(f"{now} of {wanted} outputs for {STAND_STILL_S:g} s")
        time.sleep(0.5)


def outputs(stream):
    """Records of `cleaned` and dead letters so far, repeats included."""
    return asyncio.run(_outputs(stream))


async def _outputs(stream):
    wanted = [
        TopicPartition(stream.prefix + topic, number)
        for topic in (CLEANED, DEAD_LETTERS)
        for number in range(PARTITIONS)
    ]
    async with plain_consumer(stream.address) as consumer:
        return sum((await consumer.end_offsets(wanted)).values())


def report(stream, disturber, undisturbed, windows, seconds):
    sent = stream.sent()
    revisions: defaultdict[object, list[int]] = defaultdict(list)
    for source, records in stream.outputs().items():
        revisions[source] += [one.revision for one in records]
    sequences = [sorted(set(some)) for some in revisions.values()]
    return Report(
        faults=dict(disturber.done),
        pages=len(sent),
        lost=len(sent - stream.answered()),
        dead=len(stream.dead_letters()),
        repeated=sum(len(some) - len(set(some)) for some in revisions.values()),
        broken_sequences=sum(one not in ([0], [0, 1], [0, 1, 2]) for one in sequences),
        revisions=sum(len(one) - 1 for one in sequences),
        sites=len(windows),
        other_windows=sorted(
            site
            for site in undisturbed.keys() | windows.keys()
            if undisturbed.get(site) != windows.get(site)
        ),
        seconds=round(seconds, 1),
    )


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
