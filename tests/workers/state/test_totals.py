"""Running totals equal a recount after any changes, and reading them reads no store."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import generate_latest

from tests.workers.builders import DAY_MS, document, entries_of, site_model_record, stored_summary
from workers.kafka.metrics import RefresherMetrics
from workers.settings import load_settings
from workers.state.site_state import FittedSite, WindowTotals, model_is_due
from workers.state.window_store import WindowStore

FEW = load_settings(window_pages_max=4, window_floor_pages=2)
SITES = ("a.com", "b.com", "c.com")

put = st.tuples(st.just("put"), st.sampled_from(SITES), st.integers(0, 400), st.sampled_from("uvw"))
deletion = st.tuples(
    st.just("delete"), st.sampled_from(SITES), st.integers(0, 400), st.sampled_from("uvw")
)
removal = st.tuples(st.just("remove"), st.sampled_from(SITES), st.integers(0, 400))
fitted = st.tuples(
    st.just("fitted"), st.sampled_from(SITES), st.floats(0, 1), st.none() | st.integers(0, DAY_MS)
)
CHANGES = st.lists(st.one_of(put, put, deletion, removal, fitted), max_size=30)


def apply(store, change):
    name, site, *values = change
    match name, values:
        case "put", (day, url):
            record = document(day, site=site, url=url, time_ms=day * DAY_MS)
            store.enter(record, stored_summary(record), store.next_offset)
        case "delete", (day, url):
            record = document(day, site=site, url=url, time_ms=day * DAY_MS, kind="deletion")
            store.delete_url(record, store.next_offset)
        case "remove", (day,):
            store.remove(site, f"{site}\0pages-0-{day}".encode(), store.next_offset)
        case "fitted", (fit, changed_at_ms):
            learned = store.site_state(site).learned
            model = site_model_record("v1", site=site)
            store.mark_fitted(FittedSite(model, learned, fit, changed_at_ms, 1))


def recounted(store):
    states = [state for _, state in store.sites()]
    filled = [state for state in states if state.pages]
    return WindowTotals(
        sites=len(filled),
        documents=sum(state.pages for state in states),
        bytes=sum(state.bytes for state in states),
        models_due=sum(model_is_due(state) for state in states),
        redesigned_sites=sum(state.changed_at_ms is not None for state in states),
        fit_sum=pytest.approx(sum(state.fit for state in filled)),
    )


@settings(max_examples=60, deadline=None)
@given(CHANGES)
def test_totals_are_those_of_a_recount_after_every_change(changes):
    store = WindowStore(None, FEW)
    for change in changes:
        apply(store, change)
        assert store.totals() == recounted(store)


@settings(max_examples=10, deadline=None)
@given(CHANGES)
def test_totals_survive_a_restart_and_a_copy(changes):
    with tempfile.TemporaryDirectory() as directory:
        store = WindowStore(Path(directory) / "w", FEW)
        for change in changes:
            apply(store, change)
        totals = recounted(store)
        copy = WindowStore(None, FEW)
        copy.restore(entries_of(store))
        store.close()
        again = WindowStore(Path(directory) / "w", FEW)
        assert again.totals() == totals
        assert copy.totals() == totals
        again.close()


def test_a_scrape_reads_no_store(monkeypatch):
    store = WindowStore(None, FEW)
    for number, site in enumerate(SITES):
        apply(store, ("put", site, number, "u"))
    apply(store, ("fitted", "a.com", 0.25, DAY_MS))
    metrics = RefresherMetrics(lambda: store.totals() + store.totals(), {})
    monkeypatch.setattr(store, "_db", None)
    monkeypatch.setattr(store, "_lock", None)
    totals = dict(
        line.split()
        for line in generate_latest(metrics.registry).decode().splitlines()
        if not line.startswith("#") and "{" not in line
    )
    assert float(totals["templ_window_sites"]) == 6
    assert float(totals["templ_window_documents"]) == 6
    assert float(totals["templ_window_bytes"]) == 2 * store.totals().bytes > 0
    assert float(totals["templ_models_due"]) == 4
    assert float(totals["templ_redesigned_sites"]) == 2
    assert float(totals["templ_fit"]) == pytest.approx(0.75)
