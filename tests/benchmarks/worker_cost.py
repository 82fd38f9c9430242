"""Processor time of `templ run` for a page, against a bare parse and against trafilatura.

    python -m tests.benchmarks.worker_cost FEED... [--time-field NAME] [--pages N] [--rounds N]

The parent and its children count, start-up does not: the same command on one page is taken off. Bare
parses and extractions by trafilatura of the same pages are timed before, between and after the runs, so
that a machine whose speed changes meanwhile changes all of them. Processor time grows with what else the
machine does, so only the ratios mean something.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import lxml.html
import trafilatura

from workers.feeds.files import read_feed
from workers.feeds.streams import open_decompressed
from workers.page import Page

PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
MODES = {"everything on": [], "--page-only": ["--page-only"]}


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("feeds", metavar="FEED", nargs="+", type=Path)
    arguments.add_argument("--time-field", default="fetched_at")
    arguments.add_argument("--pages", type=int, help="first pages of each feed; default: all")
    arguments.add_argument("--rounds", type=int, default=1, help="the medians count")
    options = arguments.parse_args()
    for feed in options.feeds:
        compare(feed, options)


def compare(feed, options):
    """Print what a page of a feed costs."""
    found = islice(read_feed([feed], time_field=options.time_field), options.pages)
    bodies = [one.body for one in found if isinstance(one, Page) and one.body]
    with open_decompressed(feed, lambda _: None) as stream:
        records = list(islice(iter(stream.readline, b""), options.pages))
    parses_s, extractions_s = [], []
    runs_s = {name: [] for name in MODES}
    with tempfile.TemporaryDirectory() as directory:
        one, many = Path(directory, "one.jsonl"), Path(directory, "many.jsonl")
        one.write_bytes(records[0])
        many.write_bytes(b"".join(records))
        for _ in range(options.rounds):
            for name, given in MODES.items():
                parses_s.append(processor_s(parse, bodies))
                base_s = run_s(one, directory, options.time_field, given)
                runs_s[name].append(run_s(many, directory, options.time_field, given) - base_s)
                parses_s.append(processor_s(parse, bodies))
            extractions_s.append(processor_s(trafilatura.extract, bodies))
    parse_s, extraction_s = statistics.median(parses_s), statistics.median(extractions_s)
    html_bytes = sum(map(len, bodies))
    print(f"{feed.name}: {len(bodies)} pages of {html_bytes / len(bodies) / 1000:.0f} kB")
    report("bare parse", len(bodies), parse_s, parse_s, extraction_s)
    report("trafilatura", len(bodies), extraction_s, parse_s, extraction_s)
    for name, all_s in runs_s.items():
        what = f"templ run, {name}"
        report(what, len(bodies), statistics.median(all_s), parse_s, extraction_s)


def parse(body):
    return lxml.html.document_fromstring(body, parser=PARSER)


def processor_s(work, bodies):
    started = time.process_time()
    for body in bodies:
        work(body)
    return time.process_time() - started


def run_s(feed, directory, time_field, given):
    """Return the processor time of one run of `templ run`, its children included."""
    before = os.times()
    options = ["--workers", "1", "--time-field", time_field, *given]
    command = [sys.executable, "-m", "workers", "run", str(feed), *options]
    out = str(Path(directory, "out.jsonl"))
    subprocess.run([*command, "--out", out, "--force"], check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    spent_s = after.children_user - before.children_user
    return spent_s + after.children_system - before.children_system


def report(what, pages, spent_s, parse_s, extraction_s):
    print(
        f"{what:26} {1000 * spent_s / pages:6.2f} ms a page, {spent_s / parse_s:5.2f} bare parses, "
        f"{spent_s / extraction_s:5.3f} x trafilatura",
        flush=True,
    )


if __name__ == "__main__":
    main()
