"""`templ crawl` as a process, with a simulated web as its proxy."""

import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from workers.child_program import child_environment

CONTACT = "mailto:owner@crawler.example"
QUICK = {
    "--delay-s": 0.03,
    "--timeout-s": 60,
    "--attempts-max": 2,
    "--retry-s": 0.3,
    "--robots-retry-s": 0.3,
    "--page-bytes-max": 1_000_000,
    "--depth-max": 3,
    "--site-day-pages": 75,
}
"""Limits that make a small crawl end within seconds."""


def start_crawl(web, directory, *more, seeds=None, proxy=None, **limits):
    options = {**QUICK, **{f"--{name.replace('_', '-')}": value for name, value in limits.items()}}
    arguments = [str(part) for pair in options.items() for part in pair]
    return subprocess.Popen(
        [sys.executable, "-m", "workers", "crawl", *(seeds or web.seeds), "--dir", str(directory),
         "--contact", CONTACT, *arguments, *more],
        env={**child_environment(), "http_proxy": web.proxy if proxy is None else proxy},
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def finish(process, timeout_s=120):
    errors = ended(process, timeout_s)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors, errors
    return errors


def ended(process, timeout_s=120):
    """Wait until the crawler ends; return what it printed."""
    try:
        return process.communicate(timeout=timeout_s)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def let_articles_be_due(directory):
    """Change a crawl's memory as if the time of its next visits had come."""
    with closing(sqlite3.connect(directory / "frontier.db")) as db, db:
        db.execute("UPDATE addresses SET due_at = 0 WHERE path LIKE '%/articles/%'")


def kill_after(process, web, requests):
    """Kill the crawler once the web has had some more requests.

    Returns:
        The time of the monotonic clock when the web had read all that was sent before, or None if the
        crawler ended by itself.
    """
    until = len(web.log) + requests
    while len(web.log) < until:
        if process.poll() is not None:
            return None
        time.sleep(0.005)
    process.kill()
    process.communicate()
    while web.connections:
        time.sleep(0.05)
    time.sleep(0.1)
    return time.monotonic()


def lines(path):
    """The records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
