"""Whether looking at the state of a worker makes the worker's event loop wait.

    python -m tests.benchmarks.inspection_stalls --seconds 20
    python -m tests.benchmarks.inspection_stalls --seconds 20 --console

A broker, a cleaner and a refresher are started, and pages are sent as fast as they are taken. The loop of each
role sleeps for 5 ms again and again, and notes how much later it wakes up. Spans of equal length in which
nobody looks at the state and in which `templ inspect site` runs all the time take turns. With --console,
reports and lists are asked of a console instead, one after the other. What is printed is
the worst delay of each role in both kinds of span; on a machine whose processors are busy both are large.
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

import click

from schemas.topics import CLEANED
from tests.kafka.broker import runner
from tests.kafka.stream import Stream, write_feed
from tests.kafka.test_monitoring import free_ports
from workers.kafka import cleaner_app, refresher_app
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.roles import run_role
from workers.settings import load_settings

SITE = "site-0.example"
STEP_S = 0.005
APPS = {"cleaner": cleaner_app.CleanerApp, "refresher": refresher_app.RefresherApp}


async def note_delays(path):
    """Append the time and the delay of each step of this process's loop to a file, for ever."""
    with path.open("w", buffering=1) as file:
        while True:
            asleep_s = time.monotonic()
            await asyncio.sleep(STEP_S)
            now_s = time.monotonic()
            file.write(f"{now_s} {now_s - asleep_s - STEP_S}\n")


def run_probed(role, stream_address, prefix, folder):
    """Run a role whose loop notes its delays."""
    app_type = APPS[role]
    build = app_type.__init__

    def build_probed(self, *arguments):
        build(self, *arguments)
        self.app.task(lambda: note_delays(folder / f"{role}.delays"))

    app_type.__init__ = build_probed
    run_role(role, BrokerAccess(stream_address), prefix, folder / "state", load_settings())


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


def can_look(look):
    """Whether there is something to look at: the site has a model."""
    with suppress(subprocess.CalledProcessError, urllib.error.HTTPError):
        look()
        return True
    return False


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


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="Length of a span.")
@click.option("--rounds", default=3, show_default=True, help="Number of spans of each kind.")
@click.option("--console", "has_console", is_flag=True, help="Look by the console.")
@click.option("--probe", nargs=4, hidden=True)
def main(seconds, rounds, has_console, probe):
    """Compare how late the loops of a worker wake up with and without somebody who looks at its state."""
    if probe:
        run_probed(*probe[:3], Path(probe[3]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = runner.Broker(folder / "broker")
        broker.start()
        stream = Stream(broker, "stalls.", folder)
        feed = write_feed(folder / "feed.jsonl", 20_000, sites=20)
        command = [sys.executable, "-m", "tests.benchmarks.inspection_stalls", "--probe"]
        roles = [
            subprocess.Popen([*command, role, broker.address, stream.prefix, name], env=os.environ)
            for role in APPS
        ]
        sender = subprocess.Popen(
            [sys.executable, "-m", "workers", "feed", feed, *stream.options],
            stderr=subprocess.DEVNULL,
        )
        look, port = run_command(folder / "state"), free_ports()
        if has_console:
            serve = ["console", "--state", folder / "state", "--port", str(port), *stream.options]
            roles.append(subprocess.Popen([sys.executable, "-m", "workers", *serve]))
            look = ask_console(port)
        try:
            while len(stream.records(CLEANED)) < 500:
                time.sleep(1)
            while not can_look(look):
                time.sleep(1)
            before = len(stream.records(CLEANED))
            spans = spans_of(seconds, rounds, look)
            pages = len(stream.records(CLEANED)) - before
        finally:
            for process in (*roles, sender):
                process.terminate()
                process.wait()
            broker.stop()
        print(f"{pages / (spans[-1][2] - spans[0][1]):.0f} pages/s were cleaned meanwhile")
        for role in APPS:
            lines = (folder / f"{role}.delays").read_text().splitlines()[:-1]
            delays = [tuple(map(float, line.split())) for line in lines]
            for is_looked_at in (False, True):
                found = sorted(
                    delay
                    for looks, start, end in spans
                    if looks is is_looked_at
                    for at, delay in delays
                    if start <= at < end
                )
                print(
                    f"{role:9} {'looked at' if is_looked_at else 'alone':9} worst {1000 * found[-1]:.0f} ms, "
                    f"99.9 % below {1000 * found[int(0.999 * len(found))]:.0f} ms"
                )


if __name__ == "__main__":
    main()
