"""Processor time that a worker's metrics, log and traces cost for a page, and that of a scrape.

    python -m tests.benchmarks.metrics_cost CORPUS [--page-ms N]

The texts of the corpus are counted as if they had been cleaned, in batches as large as one page, which is the
dearest case. Traces are those of a cleaner and a refresher, and go to a collector that is another process; the time
of the thread that sends them counts. Each round measures everything once, and the best round counts. The share is
of the processor time of a page, which `worker_cost` measures.
"""

import io
import logging
import multiprocessing
import os
import time
from contextlib import contextmanager, redirect_stderr
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import lxml.html
from prometheus_client import generate_latest

from schemas.source import Source
from tests.benchmarks.measuring import processor_s, read_options, read_pages
from tests.workers.kafka.test_monitoring import NoChildren
from workers.kafka.broker.received import Received
from workers.kafka.metrics import CleanerMetrics
from workers.kafka.spans import start_exports
from workers.kafka.traces import Traces
from workers.log_forms import LogHandler, LogSetUp
from workers.log_lines import lines_about, record_fields
from workers.processes.messages import Cleaned, StageTimes

PAGES = 1000
ROUNDS = 5
RATIO = 0.1


def main():
    given = read_options(__doc__, "corpus", page_ms=5.0)
    outcomes = [outcome(page) for page in read_pages([given.corpus], PAGES)]
    messages = [message(number) for number in range(len(outcomes))]
    metrics = CleanerMetrics({"clean": NoChildren()})
    with collector() as address:
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = address
        os.environ["OTEL_BSP_MAX_QUEUE_SIZE"] = "100000"  # a real worker is slower than this loop
        parts = {
            "metrics": partial(count, metrics, outcomes),
            "log, no line": partial(enter_pages, messages),
            "traces off": partial(trace, (Traces(), Traces()), messages, outcomes),
            "traces, nothing sampled": partial(trace, exports(0), messages, outcomes),
            f"traces, {RATIO:g} sampled": partial(trace, exports(RATIO), messages, outcomes),
            "traces, all sampled": partial(trace, exports(1), messages, outcomes),
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
    for one in outcomes:
        at = time.monotonic()
        for stage in ("receive", "clean", "publish", "store"):
            at = metrics.stage(stage, at)
        metrics.count([(0, one)], 0.1)


def enter_pages(messages):
    source = Source("pages", 0, 1)
    for one in messages:
        with lines_about(partial(record_fields, source, one.headers, "a.org")):
            pass


def log_lines(messages):
    """Log a line about each page, as if all were dead letters."""
    log, handler = logging.getLogger("templ.benchmark"), LogHandler(LogSetUp("cleaner", "json"))
    log.addHandler(handler)
    log.propagate = False
    with redirect_stderr(io.StringIO()):
        for one in messages:
            about = record_fields(one, one.headers, "a.org")
            log.warning("%s is a dead letter: %s: %s", one.offset, "EmptyPage", "", extra=about)
    log.removeHandler(handler)


def exports(ratio):
    """Return the traces of both roles, of which the cleaner begins this share."""
    os.environ["OTEL_TRACES_SAMPLER"] = "parentbased_traceidratio"
    os.environ["OTEL_TRACES_SAMPLER_ARG"] = str(ratio)
    names = ["otlp_proto_http"]
    return (
        start_exports(names, "cleaner", "templ-cleaner", begins=True),
        start_exports(names, "refresher", "templ-refresher", begins=False),
    )


def trace(roles, messages, outcomes):
    """Trace each page as its cleaner and its refresher do, and wait until all spans are sent."""
    cleaner, refresher = roles
    for message, one in zip(messages, outcomes, strict=True):
        spans = cleaner.begin([message], time.time_ns())
        spans.stage("receive")
        spans.has(0)
        spans.cleaned([one])
        spans.stage("publish")
        spans.stage("store")
        spans.end()
        refresher.begin(spans.messages, time.time_ns()).end()
    for role in roles:
        if type(role) is not Traces:
            role._provider.force_flush()


@contextmanager
def collector():
    """Run a process that takes spans and does nothing with them; gives its address."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=collect, args=(theirs,))
    process.start()
    yield f"http://127.0.0.1:{ours.recv()}"
    process.terminate()
    process.join()


def collect(connection):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    connection.send(server.server_port)
    server.serve_forever()


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
    now_ns = time.time_ns()
    times = StageTimes(now_ns, now_ns, now_ns)
    return Cleaned(record=record, document=None, times=times)


if __name__ == "__main__":
    main()
