"""A window depends on its fetches alone, and the library and a worker's store hold equal ones."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.source import Source
from templ_core.config import WindowBounds
from templ_core.site_cleaner.learned_site import LearnedSite, WindowDocument
from templ_core.site_level.window.site_window import SiteWindow, WindowFetch, url_hash
from tests.workers.builders import document, packed, stored_summary
from workers.settings import Settings
from workers.state.window_store import WindowStore

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
SMALL = WindowBounds(
    age_ms=48 * HOUR_MS,
    floor_pages=4,
    floor_age_ms=200 * HOUR_MS,
    newest_pages=6,
    day_pages=3,
    pages_max=20,
)


@pytest.mark.parametrize("hours", [1, 24, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_the_library_holds_the_documents_of_a_store(seed, hours):
    """Fetches that are less than some hours apart have equal times."""
    chance = random.Random(seed)
    site = LearnedSite("example.com")
    bounds = {f"window_{name}": value for name, value in msgspec.structs.asdict(SMALL).items()}
    store = WindowStore(None, Settings(**bounds), has_topic=False)
    for number in range(120):
        url = f"https://example.com/{chance.randrange(40)}"
        time_ms = (number + chance.randrange(30)) // hours * hours * HOUR_MS
        record = document(number, url=url, time_ms=time_ms, body=packed(bytes([number] * 9)))
        record = msgspec.structs.replace(record, source=Source(url, 0, number))
        if chance.random() < 0.1:
            site.forget(url, time_ms, SMALL)
            store.delete_url(msgspec.structs.replace(record, kind="deletion", body=b""), None)
        else:
            one = WindowDocument(time_ms, record.id, url, record.content_digest, record.body, b"")
            site.enter(one, None, SMALL)
            if store.known(record) is None:
                store.put(record, stored_summary(record), None)
        kept = [entry.id for entry in store.window_entries("example.com")]
        assert [one.page_id for one in site.documents] == kept, number
        assert site.learned == store.site_state("example.com").learned


def window_of(fetches, bounds):
    """What a window holds after fetches, given as URL, time in days and content, have entered it."""
    window = SiteWindow()
    for url, day, content in fetches:
        window.enter(WindowFetch(round(day * DAY_MS), url_hash(url), content, 1), bounds)
    return list(window)


def daily(*days):
    return [(f"/{day}", day, b"") for day in days]


IN_ANY_ORDER = {
    "of each URL the newest": (
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 40), st.just(b"")),
            unique_by=lambda fetch: fetch[1],
        ),
        WindowBounds(pages_max=5, floor_pages=2),
    ),
    "some of each day": (
        st.permutations(daily(*(number / 12 for number in range(36)))),
        WindowBounds(newest_pages=4, day_pages=2),
    ),
    "one dated ahead": (
        st.permutations(daily(*range(0, 60, 4), 400)),
        WindowBounds(floor_pages=2),
    ),
    "equal times": (
        st.lists(
            st.builds(
                lambda url, content: (url, ord(url) % 3, content),
                st.sampled_from("abcdefghijkl"),
                st.binary(max_size=1),
            )
        ),
        WindowBounds(newest_pages=3, day_pages=2),
    ),
}


@pytest.mark.parametrize("name", IN_ANY_ORDER)
@given(st.data())
@settings(max_examples=40)
def test_a_window_does_not_depend_on_the_order_of_arrival(name, data):
    fetches, bounds = IN_ANY_ORDER[name]
    coming = data.draw(fetches)
    assert window_of(coming, bounds) == window_of(data.draw(st.permutations(coming)), bounds)


def test_one_time_far_ahead_does_not_make_the_others_old():
    held = window_of(daily(*range(0, 60, 4), 400), WindowBounds(floor_pages=2))
    assert [one.time_ms // DAY_MS for one in held] == [44, 48, 52, 56, 400]


def test_what_leaves_is_told_and_nothing_else():
    bounds = WindowBounds(pages_max=2, floor_pages=1)
    one, two, newer, old = (
        WindowFetch(time_ms, url_hash(url), b"", 1)
        for time_ms, url in ((1, "a"), (2, "b"), (3, "a"), (0, "c"))
    )
    window = SiteWindow([two, one])
    assert window.enter(one, bounds) is None
    assert window.enter(newer, bounds) == ([one], [])
    assert window.enter(one, bounds) is None
    assert window.enter(old, bounds) == ([], [])
    assert old not in window
    assert window.delete(url_hash("b"), 2, bounds) == ([two], [])
    assert window.delete(url_hash("b"), 2, bounds) is None
    assert window.enter(two, bounds) is None
    assert window.delete(url_hash("a"), 0, bounds) == ([], [])
    assert (list(window), window.size_bytes) == ([newer], 1)
    assert window.leave(newer.url_hash) == newer
    assert window.leave(newer.url_hash) is None
    assert window.delete(url_hash("c"), 3, bounds) == ([], [url_hash("a")])
