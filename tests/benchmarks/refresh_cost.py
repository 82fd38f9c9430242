"""Processor time of windows, models and templates for each page, by size of a window and of a store.

    python -m tests.benchmarks.refresh_cost [--pages 100,1000,10000] [--sites 10,1000,10000] [--out DIR]

The documents of some synthetic pages are used again and again under new names, 72 a day, so that only
the refresher's work counts and a window grows to its 1000 pages. Templates are fitted in turn, as
`templ run` does.
"""

import tempfile
from functools import partial
from pathlib import Path

import msgspec

from schemas.source import Source
from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.stored.compact import content_digest
from tests.benchmarks.measuring import processor_s, read_options, write_chart
from tests.workers.memory_transport import MemoryTransport
from workers.feeds.records import page_from_json
from workers.lab.in_process import InProcess
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.messages import Cleaned
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import load_settings
from workers.state.window_store import WindowStore

SAMPLES = 600
GAP_MS = 20 * 60_000


def samples(runner, settings):
    """Return the documents of one synthetic site."""
    cleaner = PageCleaner(runner, settings)
    costs = []
    feed = simulate_feed(FeedSettings(genre="news", sites=1, pages=SAMPLES, seed=1))
    for number, page in enumerate(feed):
        line = msgspec.json.encode(page.record())
        read = page_from_json(
            line, Source("feed", 0, number), default_id=str(number), event_time_ms=lambda _: 0
        )
        outcome = cleaner.clean(read)
        if isinstance(outcome, Cleaned) and outcome.document is not None:
            costs.append(outcome.document)
    return costs


def cost_ms(documents, runner, settings, *, pages, sites):
    """Return the processor time in milliseconds a page."""
    with tempfile.TemporaryDirectory() as directory:
        store = WindowStore(Path(directory) / "windows", settings)
        transport = MemoryTransport(store, runner, settings)
        elapsed = 0.0
        for number in range(pages):
            document = renamed(documents[number % len(documents)], number, sites)
            elapsed += processor_s(partial(transport.learn, document))
        store.close()
    return 1000 * elapsed / pages


def renamed(record, number, sites):
    """Return a document as that of another page, whose content differs in one number."""
    site = f"site-{number % sites}.example"
    document = msgspec.structs.replace(decode_document(record.body), html_chars=number)
    columns = document_columns(document)
    return msgspec.structs.replace(
        record, site=site, url=f"https://{site}/{number}", id=str(number),
        source=Source("feed", 0, number), event_time_ms=number * GAP_MS,
        content_digest=content_digest(columns), body=compress_columns(columns),
    )  # fmt: skip


def numbers(text):
    return [int(one) for one in text.split(",") if one]


def main():
    options = read_options(__doc__, pages="100,1000,10000", sites="10,1000,10000", out=Path)
    settings = load_settings()
    runner = InProcess(page_model_of(read_model_file(None)))
    documents = samples(runner, settings)
    by_pages, by_sites = [], []
    for pages in numbers(options.pages):
        cost = cost_ms(documents, runner, settings, pages=pages, sites=1)
        by_pages.append((pages, cost))
        print(f"{pages:6} pages of one site: {cost:.1f} ms a page", flush=True)
    for sites in numbers(options.sites):
        cost = cost_ms(documents, runner, settings, pages=3 * sites, sites=sites)
        by_sites.append((sites, cost))
        print(f"{sites:6} sites of three pages: {cost:.1f} ms a page", flush=True)
    for name, x, points in (
        ("refresh-pages", "pages of one site", by_pages),
        ("refresh-sites", "sites of three pages", by_sites),
    ):
        if points:
            lines = {"CPU ms a page": points, "": [(points[0][0], 0.0)]}
            title = "Windows, models and templates"
            write_chart(options.out, name, title, x, "CPU ms a page", lines)


if __name__ == "__main__":
    main()
