"""Processor time of `templ run` for a page, against a bare parse and against trafilatura.

    python -m tests.benchmarks.worker_cost FEED... [--time-field NAME] [--pages N] [--rounds N]
    python -m tests.benchmarks.worker_cost FEED... --instructions [--pages N]

The parent and its children count, start-up does not: the same command on one page is taken off. Bare
parses and extractions by trafilatura of the same pages are timed before, between and after the runs, so
that a machine whose speed changes meanwhile changes all of them. Processor time grows with what else the
machine does, so only the ratios mean something.

`--instructions` counts instructions by valgrind instead, in one process, which no load changes. It takes some minutes
and compares the first pages of a feed (default: 60) with a third of them, so start-up does not count. Pages of a young
site cost more than later ones, because its models are fitted more often.
`--sites` and `--pages-per-site` choose the records of young sites.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import trafilatura

from schemas.codec import encode_json
from templ_core.page_level.model.model_file import shipped_model
from tests.benchmarks.measuring import bare_parse, processor_s, read_options, read_pages
from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.feeds.streams import open_decompressed
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.processes.messages import PAGES_AT_ONCE
from workers.settings import load_settings

INSTRUCTION_PAGES = 60
MODES = {
    "everything on": [],
    "with all that is optional": ["--quality", "--changes", "--duplicates", "--events", os.devnull],
    "--page-only": ["--page-only"],
}


def main():
    options = read_options(
        __doc__, "feeds...", time_field="fetched_at", pages=int, rounds=1, sites=int,
        pages_per_site=int, instructions=False,
    )  # fmt: skip
    if options.instructions and shutil.which("valgrind") is None:
        raise SystemExit("--instructions: install valgrind, or leave the option out")
    with tempfile.TemporaryDirectory() as directory:
        for feed in options.feeds:
            chosen = Path(directory, feed.name.removesuffix("".join(feed.suffixes)) + ".jsonl")
            chosen.write_bytes(b"".join(chosen_records(feed, options)))
            (count_instructions if options.instructions else compare)(chosen, options)


def chosen_records(feed, options):
    """Yield the lines of a feed that count."""
    pages, sites = 0, Counter()
    with open_decompressed(feed, lambda _: None) as stream:
        for line in iter(stream.readline, b""):
            site = json.loads(line).get("site")
            if pages == options.pages:
                return
            if site not in sites and len(sites) == options.sites:
                continue
            sites[site] += 1
            if options.pages_per_site is None or sites[site] <= options.pages_per_site:
                pages += 1
                yield line


def count_instructions(feed, options):
    """Print the instructions of a page of a feed, in multiples of those of a bare parse."""
    records = feed.read_bytes().splitlines(keepends=True)[: options.pages or INSTRUCTION_PAGES]
    few = len(records) // 3
    spent = defaultdict(list)
    for pages in (few, len(records)):
        part = feed.with_name(f"{pages}.jsonl")
        part.write_bytes(b"".join(records[:pages]))
        for name, work in WORKS.items():
            spent[name].append(instructions(work, part, options.time_field))
    pages = len(records) - few
    costs = {name: all_of_them - base for name, (base, all_of_them) in spent.items()}
    print(f"{feed.stem}: pages {few + 1} to {len(records)}, instructions")
    for name, cost in costs.items():
        ratio = cost / costs["bare parse"]
        print(f"{name:32} {cost / pages / 1e6:7.2f} million a page, {ratio:5.2f} bare parses")


def instructions(work, feed, time_field):
    """Return the instructions of a process that does this with a feed."""
    code = f"from {__spec__.name} import {work.__name__}; {work.__name__}({str(feed)!r}, {time_field!r})"
    valgrind = [
        "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
    ]  # fmt: skip
    command = [*valgrind, sys.executable, "-c", code]
    # Other hashes, and threads that wait for work, would change the instructions of the start-up by those of some pages.
    environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return int(re.search(r"I +refs: +([\d,]+)", done.stderr)[1].replace(",", ""))


def parse_feed(feed, time_field):
    for page in read_feed([Path(feed)], Reading(time_field=time_field)):
        bare_parse(page.body)


def run_feed(feed, time_field, *, learns=True, **chosen):
    settings = load_settings(**chosen)
    with tempfile.TemporaryDirectory() as directory:
        state = LocalState(Path(directory, "state"), settings, None)
        stream = LearningCleaner(state, InProcess(shipped_model()), settings, learns=learns)
        pages = list(read_feed([Path(feed)], Reading(time_field=time_field)))
        for first in range(0, len(pages), PAGES_AT_ONCE):
            for outcome, _ in stream.process_pages(pages[first : first + PAGES_AT_ONCE]):
                encode_json(outcome.record)
        state.close()


def run_feed_with_options(feed, time_field):
    run_feed(feed, time_field, quality=True, observed=True)


def run_feed_by_page(feed, time_field):
    run_feed(feed, time_field, learns=False)


WORKS = {
    "bare parse": parse_feed,
    "the worker in one process": run_feed,
    "with quality, changes and events": run_feed_with_options,
    "--page-only": run_feed_by_page,
}


def compare(feed, options):
    """Print what a page of a feed costs."""
    bodies = [one.body for one in read_pages([feed], time_field=options.time_field)]
    records = feed.read_bytes().splitlines(keepends=True)

    def parsed_s():
        return processor_s(lambda: list(map(bare_parse, bodies)))

    parses_s, extractions_s = [], []
    runs_s = {name: [] for name in MODES}
    with tempfile.TemporaryDirectory() as directory:
        one, many = Path(directory, "one.jsonl"), Path(directory, "many.jsonl")
        one.write_bytes(records[0])
        many.write_bytes(b"".join(records))
        for _ in range(options.rounds):
            for name, given in MODES.items():
                parses_s.append(parsed_s())
                base_s = run_s(one, directory, options.time_field, given)
                runs_s[name].append(run_s(many, directory, options.time_field, given) - base_s)
                parses_s.append(parsed_s())
            extractions_s.append(processor_s(lambda: list(map(trafilatura.extract, bodies))))
    parse_s, extraction_s = statistics.median(parses_s), statistics.median(extractions_s)
    html_bytes = sum(map(len, bodies))
    print(f"{feed.name}: {len(bodies)} pages of {html_bytes / len(bodies) / 1000:.0f} kB")
    report("bare parse", len(bodies), parse_s, parse_s, extraction_s)
    report("trafilatura", len(bodies), extraction_s, parse_s, extraction_s)
    for name, all_s in runs_s.items():
        what = f"templ run, {name}"
        report(what, len(bodies), statistics.median(all_s), parse_s, extraction_s)


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
        f"{what:36} {1000 * spent_s / pages:6.2f} ms a page, {spent_s / parse_s:5.2f} bare parses, "
        f"{spent_s / extraction_s:5.3f} x trafilatura",
        flush=True,
    )


if __name__ == "__main__":
    main()
