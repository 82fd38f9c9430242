"""Whether looking at the state of a worker makes the worker's event loop wait.

    python -m tests.benchmarks.inspection_stalls --seconds 20
    python -m tests.benchmarks.inspection_stalls --seconds 20 --console

A broker, a cleaner and a refresher are started, and pages are sent as fast as they are taken. The loop of each
role sleeps for 5 ms again and again, and notes how much later it wakes up. Spans of equal length in which
nobody looks at the state and in which `templ inspect site` runs all the time take turns. With --console,
reports and lists are asked of a console instead, one after the other.

For each role and both kinds of span it prints the longest delay by the clock, and the longest for which the role
itself may be the cause: no delay counts for more than the processor time that all threads of the role have used
meanwhile. The rest of a delay is time in which the role had no processor, because other processes had them: its own
children, the broker, the command, or any other program of the machine.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from schemas.topics import CLEANED, SITE_MODELS
from tests.benchmarks.kafka_stream import stream_on_a_broker
from tests.benchmarks.measuring import read_options
from tests.kafka.stream import write_feed
from tests.kafka.test_monitoring import free_ports
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.cleaner import Cleaner
from workers.kafka.refresher import Refresher
from workers.kafka.run_role import run_role
from workers.settings import load_settings

SITE = "site-0.example"
STEP_S = 0.005
APPS = {"cleaner": Cleaner, "refresher": Refresher}


async def note_delays(path):
    """Append to a file, forever, the time of each step of this process's loop, its delay, and the part of it
    that this process may have caused.
    """
    with path.open("w", buffering=1) as file:
        while True:
            asleep_s, used_s = time.monotonic(), time.process_time()
            await asyncio.sleep(STEP_S)
            now_s = time.monotonic()
            delay_s = now_s - asleep_s - STEP_S
            file.write(f"{now_s} {delay_s} {min(delay_s, time.process_time() - used_s)}\n")


def run_probed(role, stream_address, prefix, folder):
    """Run a role whose loop notes its delays."""
    app_type = APPS[role]
    build = app_type.__init__

    def build_probed(self, *arguments):
        build(self, *arguments)
        self.app.task(lambda: note_delays(folder / f"{role}.delays"))

    app_type.__init__ = build_probed
    run_role(role, BrokerAccess(stream_address, prefix=prefix), folder / "state", load_settings())


def run_command(state):
    """Return a function that looks at the state with a command."""
    command = [sys.executable, "-m", "workers", "inspect", "site", SITE, "--state", state]
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def ask_console(port):
    """Return a function that looks at the state in a console: the list, a site, and its pages."""

    def look():
        for path in ("/", f"/site?key={SITE}", f"/pages?key={SITE}"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as answer:
                answer.read()

    return look


def can_look(stream, look):
    """Whether there is something to look at: the site has a model, and the console knows it."""
    if all(record.key != SITE.encode() for record in stream.records(SITE_MODELS)):
        return False
    with suppress(urllib.error.URLError):  # the console starts, or its list is older
        look()
        return True
    return False


def worst_of(lines, spans, *, is_looked_at):
    """The longest delay, that of the role itself, and those that 99.9 % are below, in milliseconds."""
    delays = [
        (1000 * delay, 1000 * own)
        for looks, start, end in spans
        if looks is is_looked_at
        for at, delay, own in lines
        if start <= at < end
    ]
    return [
        (ordered[-1], ordered[int(0.999 * len(ordered))])
        for ordered in (sorted(one) for one in zip(*delays, strict=True))
    ]


def spans_of(seconds, rounds, look):
    """Take turns between looking at the state and not; answers the spans as (looks, start, end)."""
    spans = []
    for number in range(2 * rounds):
        looks, start_s = bool(number % 2), time.monotonic()
        while time.monotonic() < start_s + seconds:
            if looks:
                look()
            else:
                time.sleep(0.1)
        spans.append((looks, start_s, time.monotonic()))
    return spans


def main():
    """Compare how late the loops of a worker wake up with and without somebody who looks at its state."""
    options = read_options(__doc__, seconds=20.0, rounds=3, console=False, probe=str)
    probe = options.probe.split(",") if options.probe else []
    if probe:
        run_probed(*probe[:3], Path(probe[3]))
        return
    with tempfile.TemporaryDirectory() as name, stream_on_a_broker(Path(name), "stalls.") as stream:
        folder = Path(name)
        feed = write_feed(folder / "feed.jsonl", 20_000, sites=20)
        command = [sys.executable, "-m", "tests.benchmarks.inspection_stalls", "--probe"]
        quiet = {**os.environ, "TEMPL_LOG_LEVEL": "warning"}
        probes = [",".join([role, stream.address, stream.prefix, name]) for role in APPS]
        roles = [subprocess.Popen([*command, probe], env=quiet) for probe in probes]
        sender = subprocess.Popen(
            [sys.executable, "-m", "workers", "feed", feed, *stream.options],
            stderr=subprocess.DEVNULL,
        )
        look, port = run_command(folder / "state"), free_ports()
        if options.console:
            serve = ["console", "--state", folder / "state", "--port", str(port), *stream.options]
            roles.append(subprocess.Popen([sys.executable, "-m", "workers", *serve], env=quiet))
            look = ask_console(port)
        try:
            while len(stream.records(CLEANED)) < 500:
                time.sleep(1)
            while not can_look(stream, look):
                time.sleep(1)
            before = len(stream.records(CLEANED))
            spans = spans_of(options.seconds, options.rounds, look)
            pages = len(stream.records(CLEANED)) - before
        finally:
            for process in (*roles, sender):
                process.terminate()
                process.wait()
        print(f"{pages / (spans[-1][2] - spans[0][1]):.0f} pages/s were cleaned meanwhile")
        for role in APPS:
            text = (folder / f"{role}.delays").read_text().splitlines()[:-1]
            lines = [tuple(map(float, line.split())) for line in text]
            for is_looked_at in (False, True):
                delay, own = worst_of(lines, spans, is_looked_at=is_looked_at)
                print(
                    f"{role:9} {'looked at' if is_looked_at else 'alone':9} "
                    f"by the clock: worst {delay[0]:.0f} ms, 99.9 % below {delay[1]:.0f} ms; "
                    f"of its own: worst {own[0]:.0f} ms, 99.9 % below {own[1]:.0f} ms"
                )


if __name__ == "__main__":
    main()
