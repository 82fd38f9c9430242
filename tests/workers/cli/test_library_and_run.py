"""The library, `templ run` and the engine on Kafka clean pages alike, to the byte, even those of one fetch time."""

from base64 import b64decode
from contextlib import suppress
from datetime import timedelta
from itertools import chain

import pytest

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import decode_document_record, decode_output, encode_json, encode_msgpack
from templ_core import CleanerOptions, SiteCleaner
from templ_core.config import WindowBounds
from templ_core.errors import PageError, PageGone
from templ_core.page_level.model.model_file import shipped_model
from tests.workers.builders import DAY_MS, write_lines
from tests.workers.memory_transport import MemoryTransport
from workers.feeds.files import read_feed
from workers.lab.in_process import InProcess
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.pipeline.page_cleaner import PageCleaner
from workers.settings import Settings, load_settings
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

PAGES = 260
"""Pages of each site; more than a window keeps of one day."""
TIMES = {"shop": timedelta(days=100), "forum": timedelta(days=7), "news": timedelta(days=1)}
"""For how long all pages of a site have one fetch time; those of a blog have a time each."""


@pytest.fixture(scope="module")
def records():
    """Page records of four sites by turns, the gone and the changed pages at the time of the others."""
    sites = [list(site_records(genre)) for genre in ("shop", "forum", "news", "blog")]
    return list(chain.from_iterable(zip(*sites, strict=True)))


def site_records(genre):
    feed = FeedSettings(genre=genre, sites=1, pages=PAGES, seed=7, missing_share=0.03)
    before = []
    for number, page in enumerate(simulate_feed(feed)):
        record = page.record()
        period = TIMES.get(genre)
        if period is not None:
            record["fetched_at"] = str(
                feed.start + (page.fetched_at - feed.start) // period * period
            )
        again = before[-number // 3] if number else record
        if number % 20 == 19:
            record = {
                "status": 410,
                **{name: again[name] for name in ("url", "site", "fetched_at")},
            }
        elif number % 10 == 9:
            record["url"] = again["url"]
        elif number % 10 == 4:
            record = again
        before.append(record)
        yield record


def cleaned_by_library(cleaner, record):
    """What the library says of a page; None where the page is gone."""
    body = record["html"] if "html" in record else b64decode(record.get("html_base64", ""))
    try:
        return cleaner.clean(
            body, record["url"], record["fetched_at"], site=record["site"],
            content_type=record.get("content_type"), status=record["status"],
        )  # fmt: skip
    except PageGone:
        return None


def cleaned_as_on_kafka(feed, refresher):
    """What cleaner and refresher say of pages, if each page is learned from before the next one comes."""
    settings, runner = load_settings(), InProcess(shipped_model())
    models = ModelStore(None)
    cleaner = PageCleaner(runner, settings, models=models, fits_messages=True)
    for page in read_feed([feed]):
        outcome = cleaner.clean(page)
        refresher.learn(decode_document_record(encode_msgpack(outcome.document)))
        for model in refresher.models:
            models.put(model.site, encode_msgpack(model), 0, 0)
        refresher.sent.clear()
        yield decode_output(encode_json(outcome.record))


def comparable(page):
    """The text of a cleaned page, and what is known about how it came about."""
    if page is None or isinstance(page, DeletedRecord):
        return None
    how = (page.method, round(page.confidence, 4), page.page_type)
    return page.text, how, page.site_model_version, page.cleaner_version


def test_pages_are_cleaned_alike_by_library_templ_run_and_kafka(templ_process, records, tmp_path):
    cleaner = SiteCleaner()
    of_library = [cleaned_by_library(cleaner, record) for record in records]
    feed, out = write_lines(tmp_path / "feed.jsonl", records), tmp_path / "out.jsonl"
    templ_process("run", feed, "--out", out)
    outputs = [decode_output(line) for line in out.read_bytes().splitlines()]
    # What older fetches have superseded comes once more, behind the record of the older fetch.
    first = {one.source: one for one in reversed(outputs)}
    of_run = sorted(first.values(), key=lambda one: one.source.offset)
    assert len(outputs) > len(of_run) == len(records) == 4 * PAGES >= 1000
    assert {type(one) for one in of_run} == {CleanedRecord, DeletedRecord}
    assert {one.method for one in of_run if isinstance(one, CleanedRecord)} == {"page", "site"}
    pairs = list(zip(of_library, of_run, strict=True))
    assert [number for number, (a, b) in enumerate(pairs) if comparable(a) != comparable(b)] == []
    assert all(a.fingerprint == b.fingerprint.value for a, b in pairs if a is not None)
    settings = load_settings()
    refresher = MemoryTransport(WindowStore(None, settings), InProcess(shipped_model()), settings)
    on_kafka = zip(of_run, cleaned_as_on_kafka(feed, refresher), strict=True)
    assert [number for number, (a, b) in enumerate(on_kafka) if a != b] == []


BOUND_PAGES = 320
"""Pages of all sites, more than each bound allows."""
BOUNDS = {
    "age": WindowBounds(age_ms=3 * DAY_MS, floor_pages=10, floor_age_ms=20 * DAY_MS),
    "pages": WindowBounds(pages_max=40, newest_pages=20, floor_pages=10),
    "bytes": WindowBounds(bytes_max=96 << 10, floor_pages=10),
}


def window_of_library(cleaner, site):
    return [(one.url, one.content_digest) for one in cleaner._sites[site].documents]


def window_of(store, site):
    return [(one.url, one.content_digest) for one in store.window_entries(site)]


@pytest.mark.parametrize("bound", BOUNDS)
def test_each_bound_binds_alike_in_library_files_and_engine(records, tmp_path, bound):
    """The documents of a window are counted in the same way, so texts and windows are equal."""
    records = records[:BOUND_PAGES]
    bounds = BOUNDS[bound]
    settings = Settings(
        **{f"window_{name}": getattr(bounds, name) for name in bounds.__struct_fields__}
    )
    feed = write_lines(tmp_path / "feed.jsonl", records)
    cleaner = SiteCleaner(CleanerOptions(window=bounds))
    of_library = [cleaned_by_library(cleaner, record) for record in records]
    runner, state = InProcess(shipped_model()), LocalState(None, settings)
    stream = LearningCleaner(state, runner, settings)
    of_files = [stream.process(page)[0].record for page in read_feed([feed])]
    refresher = MemoryTransport(WindowStore(None, settings), runner, settings)
    of_engine = list(cleaned_as_on_kafka(feed, refresher))
    pairs = zip(of_library, of_files, strict=True)
    assert [number for number, (a, b) in enumerate(pairs) if comparable(a) != comparable(b)] == []
    assert [comparable(one) for one in of_files] == [comparable(one) for one in of_engine]
    unbound = SiteCleaner()
    for record in records:
        unbound_of(unbound, record)
    for site in cleaner.sites():
        window = window_of_library(cleaner, site)
        assert window == window_of(state.windows, site) == window_of(refresher.store, site)
        assert len(window) < len(window_of_library(unbound, site))


def unbound_of(cleaner, record):
    """Learn a page with the bounds that are usual."""
    body = record["html"] if "html" in record else b64decode(record.get("html_base64", ""))
    with suppress(PageError):
        cleaner.learn(
            body, record["url"], record["fetched_at"], site=record["site"], status=record["status"]
        )
