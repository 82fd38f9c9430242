"""What a feed of some pages a second needs, from what a run of `templ run` on a sample of it costs.

    python -m tests.benchmarks.capacity FEED [--time-field NAME] [--rates 10,1000,20000]

Prints what a page costs in processor time, in bytes of topics and in bytes of windows, and a table for
each rate. The options are assumptions: pages of a site a day, the cost on Kafka over that on files, the share of a
core that is busy, the cores of a worker, and the days that pages stay in their topic. Processor time grows with what else the machine does, so run this on
a machine like those of the deployment, and on nothing else.
"""

import math
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec
import zstandard

from schemas.codec import encode_msgpack
from templ_core.site_level.window.schedule import is_due
from tests.benchmarks.measuring import read_options, read_pages
from tests.benchmarks.worker_cost import run_s
from tests.workers.builders import entries_of
from workers.feeds.streams import open_decompressed
from workers.local.local_state import LocalState
from workers.settings import DAY_MS, load_settings
from workers.state.rocks import RocksDatabase
from workers.state.window_store import _FAMILIES

BATCH = 16
"""Records that a producer compresses together."""
DAY_S = 86_400
MB, TB = 10**6, 10**12


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What one page of a feed costs on average."""

    processor_ms: float
    page_bytes: float
    cleaned_bytes: float
    document_bytes: float
    model_bytes: float
    """Bytes of site models that are published for a page."""
    window_bytes: float
    """Bytes on disk for a document of a window, without RocksDB's own log and manifest."""
    part_bytes: dict[str, float]
    """Bytes of each family of the store for a document, before RocksDB's own compression."""


def main():
    options = read_options(
        __doc__, "feed", time_field="fetched_at", pages=int, rates="10,1000,20000", site_pages=50.0,
        kafka_ratio=1.25, busy=0.6, worker_cores=4, retention_days=3.0,
    )  # fmt: skip
    cost = measured(options)
    print(f"a page: {cost.processor_ms:.1f} ms of processor time on files")
    print(
        f"  topics: page {cost.page_bytes:.0f} bytes, cleaned record {cost.cleaned_bytes:.0f}, "
        f"document {cost.document_bytes:.0f}, site models {cost.model_bytes:.0f}"
    )
    print(f"  windows: {cost.window_bytes:.0f} bytes on disk for each document")
    for family, size in sorted(cost.part_bytes.items(), key=lambda part: -part[1]):
        print(f"    {family:15} {size:8.0f} bytes before compression")
    print(f"one site: {1000 * options.busy / cost.processor_ms:.0f} pages a second at most")
    for rate in options.rates.split(","):
        plan(float(rate), cost, options)


def measured(options):
    """Return what the pages of a feed cost."""
    with open_decompressed(options.feed, lambda _: None) as stream:
        lines = list(islice(iter(stream.readline, b""), options.pages))
    pages = read_pages([options.feed], options.pages, options.time_field)
    with tempfile.TemporaryDirectory() as directory:
        one, many = Path(directory, "one.jsonl"), Path(directory, "many.jsonl")
        one.write_bytes(lines[0])
        many.write_bytes(b"".join(lines))
        spent_s = run_s(many, directory, options.time_field, ["--state", f"{directory}/state"])
        cleaned = Path(directory, "out.jsonl").read_bytes().splitlines()
        spent_s -= run_s(one, directory, options.time_field, [])
        stored_bytes = stored(Path(directory, "state"), pages)
    return Cost(
        processor_ms=1000 * spent_s / len(pages),
        page_bytes=sent_bytes([page.body or b"" for page in pages]),
        cleaned_bytes=sent_bytes(cleaned),
        **stored_bytes,
    )


def sent_bytes(records):
    """Return the bytes of a record in a topic, compressed as producers do."""
    compressor = zstandard.ZstdCompressor(level=3)
    batches = (records[at : at + BATCH] for at in range(0, len(records), BATCH))
    sent = sum(len(compressor.compress(b"".join(some))) for some in batches)
    return sent / len(records)


def compact(path):
    """Compact a store as a whole."""
    database = RocksDatabase(path, _FAMILIES)
    for family in _FAMILIES:
        database._families[family].flush()
        database._families[family].compact_range(None, None)
    database.close()
    RocksDatabase(path, _FAMILIES).close()  # drops the files that compaction has replaced


def stored(path, pages):
    """Return the bytes of windows and of document records a document, and those of models a page."""
    compact(path / "windows-0")
    own = ("LOG", "OPTIONS", "MANIFEST")
    files = [one for one in (path / "windows-0").iterdir() if not one.name.startswith(own)]
    on_disk = sum(one.stat().st_size for one in files)
    state = LocalState(path, load_settings())
    sizes, models, parts = [], 0.0, Counter()
    for site, _ in state.windows.sites():
        for _, key in state.windows.fetches(site):
            record = state.windows.document_of(key)
            summary = zstandard.compress(state.windows.page_of(key).summary)
            sizes.append(len(encode_msgpack(msgspec.structs.replace(record, summary=summary))))
    for family, key, value in entries_of(state.windows):
        parts[family] += len(key) + len(value)
    for site, count in Counter(page.site for page in pages).items():
        model = state.models.get(site)
        models += len(encode_msgpack(model)) * fits(count) if model else 0
    state.close()
    return {
        "window_bytes": on_disk / len(sizes),
        "part_bytes": {family: size / len(sizes) for family, size in parts.items()},
        "document_bytes": sum(sizes) / len(sizes),
        "model_bytes": models / len(pages),
    }


def fits(documents):
    """Return how many models are published for a site while so many documents enter its window."""
    count = fitted_at = 0
    for learned in range(1, documents + 1):
        if is_due(learned, fitted_at, learned):
            count, fitted_at = count + 1, learned
    return count


def plan(rate, cost, options):
    """Print what a feed of this rate needs."""
    settings = load_settings()
    cores = rate * cost.processor_ms / 1000 * options.kafka_ratio / options.busy
    workers = math.ceil(cores / options.worker_cores)
    sites = rate * DAY_S / options.site_pages
    days = settings.window_age_ms / DAY_MS
    most = settings.window_newest_pages + days * settings.window_day_pages
    window = min(days * options.site_pages, most, settings.window_pages_max)
    documents = sites * window
    written = cost.page_bytes + cost.cleaned_bytes + cost.document_bytes + cost.model_bytes
    read = cost.page_bytes + cost.document_bytes + cost.model_bytes * workers
    kept = rate * DAY_S * options.retention_days * cost.page_bytes
    kept += documents * (cost.document_bytes + cost.cleaned_bytes)
    print(
        f"\n{rate:.0f} pages a second, {sites:.0f} sites of {options.site_pages:.0f} pages a day:"
    )
    print(f"  {cores:.1f} cores, {workers} workers, {2 * workers} partitions or more of each topic")
    print(
        f"  windows of {documents / 1e6:.1f} M documents: {documents * cost.window_bytes / TB:.2f} TB"
    )
    print(
        f"  broker: {rate * written / MB:.1f} MB/s in, {rate * read / MB:.1f} MB/s out to workers"
    )
    print(f"  broker's disk, before replication: {kept / TB:.2f} TB")


if __name__ == "__main__":
    main()
