"""Speed of the worker on files and on Kafka for one feed, and whether both give the same answers.

    python -m tests.benchmarks.whole_stream FEED [--time-field NAME] [--workers N] [--rate N]

Prints pages a second, and the ratio to lxml's bare parse of the same pages in the same run. Then the
feed is sent once more at a lower rate, to count how many windows on Kafka equal those on files, how
many outputs had the same models, and how many of these had equal texts. Needs Java and Maven.
"""

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from lxml import etree

from schemas.codec import decode_output
from schemas.topics import CLEANED
from tests.kafka.stream import Stream, templ, windows_of
from workers.feeds.files import read_feed
from workers.page import Page
from workers.settings import load_settings
from workers.state.window_store import WindowStore

ROUNDS = 3
BROKER = Path(__file__).parents[2] / "deploy" / "kafka" / "broker.py"


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("feed", type=Path)
    arguments.add_argument("--time-field", default="fetched_at")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--rate", type=float, default=20, help="pages a second of the slow run")
    options = arguments.parse_args()
    bodies = [
        record.body
        for record in read_feed([options.feed], time_field=options.time_field)
        if isinstance(record, Page) and record.body
    ]
    bare_s = statistics.median(bare_parse_s(bodies) for _ in range(ROUNDS))
    report("lxml's bare parse, one thread", len(bodies), bare_s, bare_s)
    with tempfile.TemporaryDirectory() as directory:
        run_on_files(options, Path(directory), len(bodies), bare_s)
        run_on_kafka(options, Path(directory), len(bodies), bare_s)


def bare_parse_s(bodies):
    """Return the processor time of parsing every page with a given encoding."""
    started = time.process_time()
    for body in bodies:
        etree.fromstring(body, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    return time.process_time() - started


def report(what, pages, elapsed_s, bare_s):
    print(
        f"{what}: {pages} pages in {elapsed_s:.2f} s, {pages / elapsed_s:.0f} pages/s, "
        f"{elapsed_s / bare_s:.1f} x bare parse",
        flush=True,
    )


def run_on_files(options, directory, pages, bare_s):
    for workers in sorted({1, options.workers}):
        times_s = []
        for attempt in range(ROUNDS):
            out, state = directory / "files.jsonl", directory / f"files-{workers}-{attempt}"
            started = time.monotonic()
            templ(
                *("run", options.feed, "--time-field", options.time_field, "--workers", workers),
                *("--out", out, "--state", state),
            )
            times_s.append(time.monotonic() - started)
        what = f"templ run --workers {workers}, start included"
        report(what, pages, statistics.median(times_s), bare_s)


def run_on_kafka(options, directory, pages, bare_s):
    broker = load_broker(directory / "broker")
    try:
        with workers_on(broker, directory / "flood", feed_first=options) as stream:
            stream.wait_until_answered()
            stamps = [record.timestamp / 1000 for record in stream.records(CLEANED)]
            elapsed_s = max(stamps) - min(stamps)
            report("two templ workers, first to last output", pages, elapsed_s, bare_s)
        with workers_on(broker, directory / "calm") as stream:
            stream.feed(options.feed, time_field=options.time_field, rate=options.rate)
            stream.wait_until_answered()
            stream.wait_until_learned()
            stream.stop("one")
            stream.stop("two")
            compare(stream, directory, options)
    finally:
        broker.stop()


@contextmanager
def workers_on(broker, directory, feed_first=None):
    """Yield two workers on topics of their own."""
    directory.mkdir()
    stream = Stream(broker, f"{directory.name}.", directory)
    try:
        if feed_first is not None:
            stream.feed(feed_first.feed, time_field=feed_first.time_field)
        stream.start("one")
        stream.start("two")
        yield stream
    finally:
        stream.stop_all()


def compare(stream, directory, options):
    store = WindowStore(directory / f"files-{options.workers}-0" / "windows-0", load_settings())
    files = windows_of(store)
    store.close()
    kafka = stream.windows("one", "two")
    documents = sum(len(window) for window, _ in kafka.values())
    equal = "equal" if kafka == files else "DIFFERENT"
    print(f"windows and refitted models: {equal}, {len(kafka)} sites, {documents} documents")
    lines = (directory / "files.jsonl").read_bytes().splitlines()
    local = {record.id: record for record in map(decode_output, lines)}
    outputs = {records[0].id: records for records in stream.outputs().values()}
    print(f"pages with a revision 0: {len(outputs)} of {len(local)}")
    pairs = [(local[page_id], records[0]) for page_id, records in outputs.items()]
    same_model = [
        (one, other) for one, other in pairs if one.site_model_version == other.site_model_version
    ]
    same_text = sum(one.text == other.text for one, other in same_model)
    print(
        f"outputs with the model of the run on files: {len(same_model)}, texts equal: {same_text}"
    )


def load_broker(data):
    spec = importlib.util.spec_from_file_location("deploy_kafka_broker", BROKER)
    runner = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = runner
    spec.loader.exec_module(runner)
    data.mkdir(parents=True)
    broker = runner.Broker(data)
    broker.start()
    return broker


if __name__ == "__main__":
    main()
