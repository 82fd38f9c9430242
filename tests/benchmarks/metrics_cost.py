"""Processor time that a cleaner's metrics cost for a page, and that of a scrape.

    python -m tests.benchmarks.metrics_cost CORPUS [--page-ms N]

The texts of the corpus are counted as if they had been cleaned, in batches as large as one page, which is the
dearest case. The share is of the processor time of a page, which `worker_cost` measures.
"""

import argparse
import time
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import lxml.html
from prometheus_client import generate_latest

from tests.workers.kafka.monitoring.test_metrics import NoChildren
from workers.feeds.files import read_feed
from workers.kafka.monitoring.metrics import CleanerMetrics
from workers.page import Page
from workers.pipeline.cleaner import Cleaned

PAGES = 1000
ROUNDS = 5


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("--page-ms", type=float, default=5.0, help="processor time of a page")
    given = arguments.parse_args()
    outcomes = [outcome(page) for page in pages(given.corpus)]
    metrics = CleanerMetrics({"clean": NoChildren()})
    costs = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for one in outcomes:
            at = time.monotonic()
            for stage in ("receive", "clean", "publish", "store"):
                at = metrics.stage(stage, at)
            metrics.count([(0, one)], 0.1)
        costs.append((time.process_time() - started) / len(outcomes) * 1e6)
    started = time.process_time()
    generate_latest(metrics.registry)
    scrape_ms = (time.process_time() - started) * 1e3
    page_us = min(costs)
    print(f"pages {len(outcomes)}")
    print(f"metrics of a page, us  {page_us:.0f}")
    print(f"share of a page, %     {page_us / given.page_ms / 10:.2f}")
    print(f"a scrape, ms           {scrape_ms:.1f}")


def pages(corpus):
    return islice((one for one in read_feed([corpus]) if isinstance(one, Page)), PAGES)


def outcome(page):
    """Return what a page would become if all its text were kept."""
    text = "\n".join(lxml.html.fromstring(page.body).itertext())
    record = SimpleNamespace(site=page.site, url=page.url, text=text, method="site")
    return Cleaned(record=record, document=None)


if __name__ == "__main__":
    main()
