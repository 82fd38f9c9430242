"""Processor time that a worker's metrics and log cost for a page, and that of a scrape.

    python -m tests.benchmarks.metrics_cost CORPUS [--page-ms N]

The texts of the corpus are counted as if they had been cleaned, in batches as large as one page, which is the
dearest case. Each round measures everything once, and the best round counts. The share is of the processor time of a
page, which `worker_cost` measures.
"""

import io
import logging
from contextlib import redirect_stderr
from functools import partial
from types import SimpleNamespace

import lxml.html
from prometheus_client import generate_latest

from schemas.source import Source
from tests.benchmarks.measuring import processor_s, read_options, read_pages
from tests.workers.kafka.test_monitoring import NoChildren
from workers.kafka.broker.received import Received
from workers.kafka.metrics import CleanerMetrics
from workers.log_forms import LogHandler, LogSetUp
from workers.log_lines import lines_about, record_fields
from workers.processes.messages import Cleaned

PAGES = 1000
ROUNDS = 5


def main():
    given = read_options(__doc__, "corpus", page_ms=5.0)
    outcomes = [outcome(page) for page in read_pages([given.corpus], PAGES)]
    messages = [message(number) for number in range(len(outcomes))]
    metrics = CleanerMetrics({"clean": NoChildren()})
    parts = {
        "metrics": partial(count, metrics, outcomes),
        "log, no line": partial(enter_pages, messages),
        "log, a line": partial(log_lines, messages),
    }
    costs_us = {name: float("inf") for name in parts}
    for _ in range(ROUNDS):
        for name, run in parts.items():
            page_us = processor_s(run) / len(outcomes) * 1e6
            costs_us[name] = min(costs_us[name], page_us)
    scrape_ms = 1e3 * processor_s(partial(generate_latest, metrics.registry))
    print(f"pages {len(outcomes)}")
    print(f"{'for a page':<24} {'us':>7} {'share, %':>9}")
    for name, page_us in costs_us.items():
        print(f"{name:<24} {page_us:7.1f} {page_us / given.page_ms / 10:9.2f}")
    print(f"a scrape, ms {scrape_ms:.1f}")


def count(metrics, outcomes):
    for outcome in outcomes:
        timer = metrics.batch_timer()
        for stage in ("receive", "clean", "publish", "store"):
            timer.end(stage)
        metrics.count([(0, outcome)], 0.1)


def enter_pages(messages):
    source = Source("pages", 0, 1)
    for message in messages:
        with lines_about(partial(record_fields, source, message.headers, "a.org")):
            pass


def log_lines(messages):
    """Log a line about each page, as if all were dead letters."""
    log, handler = logging.getLogger("templ.benchmark"), LogHandler(LogSetUp("cleaner", "json"))
    log.addHandler(handler)
    log.propagate = False
    with redirect_stderr(io.StringIO()):
        for message in messages:
            about = record_fields(message, message.headers, "a.org")
            log.warning("%s is a dead letter: %s: %s", message.offset, "EmptyPage", "", extra=about)
    log.removeHandler(handler)


def message(number):
    headers = (("url", b"https://a.org/"), ("fetched-at", b"1700000000"))
    return Received(
        topic="pages", partition=0, offset=number, timestamp_ms=0, key=None, value=b"",
        headers=headers,
    )  # fmt: skip


def outcome(page):
    """Return what a page would become if all its text were kept."""
    text = "\n".join(lxml.html.fromstring(page.body).itertext())
    record = SimpleNamespace(site=page.site, url=page.url, text=text, method="site")
    return Cleaned(record=record, document=None)


if __name__ == "__main__":
    main()
