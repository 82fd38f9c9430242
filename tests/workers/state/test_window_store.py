import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.builders import DAY_MS, contribution, document
from workers.settings import load_settings
from workers.state.window_store import WindowStore

SMALL = load_settings(window_pages_max=5, window_floor_pages=2)


@pytest.fixture
def store(tmp_path):
    opened = WindowStore(tmp_path / "windows", SMALL)
    yield opened
    opened.close()


def put(store, *records):
    for record in records:
        store.put(record, contribution(record), store.next_offset)


def ids(store, site="example.com"):
    return [record.id for record in store.window(site)]


def tombstones(store):
    return store.outbox(100)


def test_documents_come_back_in_order_of_event_time(store):
    put(store, document(3), document(1), document(2))
    assert ids(store) == ["page:1", "page:2", "page:3"]
    assert [one.page_id for one in store.contributions("example.com")] == ids(store)


def test_sites_with_a_common_beginning_are_apart(store):
    put(store, document(1, site="a.com"), document(2, site="a.com.br"))
    assert ids(store, "a.com") == ["page:1"]
    assert ids(store, "a.com.br") == ["page:2"]


def test_the_oldest_leave_a_full_window_with_a_tombstone_each(store):
    put(store, *(document(n) for n in range(8)))
    assert ids(store) == [f"page:{n}" for n in range(3, 8)]
    assert tombstones(store) == [f"example.com\0pages-0-{n}".encode() for n in range(3)]
    state = store.site_state("example.com")
    assert (state.pages, state.bytes, state.learned) == (5, 500, 8)


def test_old_documents_leave_but_for_the_floor(store):
    put(store, document(1, time_ms=0), document(2, time_ms=DAY_MS), document(3, time_ms=2 * DAY_MS))
    put(store, document(4, time_ms=30 * DAY_MS))
    assert ids(store) == ["page:3", "page:4"]


def test_the_floor_has_an_age_too(store):
    put(store, document(1, time_ms=0), document(2, time_ms=200 * DAY_MS))
    assert ids(store) == ["page:2"]


def test_a_document_too_old_for_its_window_is_tombstoned_at_once(store):
    put(store, *(document(n) for n in range(10, 15)))
    put(store, document(1))
    assert ids(store) == [f"page:{n}" for n in range(10, 15)]
    assert tombstones(store) == [b"example.com\0pages-0-1"]


def test_the_newest_version_of_a_url_stays(store):
    put(store, document(1, url="u"), document(3, url="u"), document(2, url="u"))
    assert ids(store) == ["page:3"]
    assert tombstones(store) == [b"example.com\0pages-0-1", b"example.com\0pages-0-2"]


def test_a_redelivered_document_keeps_its_place_and_gets_no_tombstone(store):
    put(store, document(1), document(2), document(1, body=b"y" * 150))
    assert ids(store) == ["page:1", "page:2"]
    assert tombstones(store) == []
    assert store.site_state("example.com").bytes == 250


def test_a_replayed_offset_changes_nothing(store):
    put(store, document(1))
    store.put(document(2), contribution(document(2)), offset=0)
    assert ids(store) == ["page:1"]


def test_a_deletion_takes_its_url_and_later_deliveries_of_older_fetches(store):
    put(store, document(1, url="u"), document(2))
    store.delete_url(document(5, url="u", kind="deletion"), store.next_offset)
    assert ids(store) == ["page:2"]
    assert tombstones(store) == [b"example.com\0pages-0-1", b"example.com\0pages-0-5"]
    put(store, document(4, url="u"))
    assert ids(store) == ["page:2"]
    put(store, document(6, url="u"))
    assert ids(store) == ["page:2", "page:6"]


def test_an_older_deletion_leaves_a_newer_fetch(store):
    put(store, document(7, url="u"))
    store.delete_url(document(5, url="u", kind="deletion"), store.next_offset)
    assert ids(store) == ["page:7"]


def test_a_tombstone_of_the_topic_is_followed_without_an_echo(store):
    put(store, document(1), document(2))
    store.remove("example.com", "pages-0-1", store.next_offset)
    store.remove("example.com", "pages-0-9", store.next_offset)
    assert ids(store) == ["page:2"]
    assert tombstones(store) == []


def test_a_tombstone_that_is_out_already_is_not_sent_again(store):
    put(store, *(document(n) for n in range(7)))
    store.remove("example.com", "pages-0-0", store.next_offset)
    assert tombstones(store) == [b"example.com\0pages-0-1"]


def test_acknowledged_tombstones_leave_the_outbox(store):
    put(store, *(document(n) for n in range(8)))
    store.take_from_outbox(store.outbox(2))
    assert tombstones(store) == [b"example.com\0pages-0-2"]


def test_everything_survives_a_restart(tmp_path):
    first = WindowStore(tmp_path / "windows", SMALL)
    put(first, *(document(n) for n in range(8)))
    first.mark_fitted("example.com", 8, "v1")
    first.close()
    again = WindowStore(tmp_path / "windows", SMALL)
    put(again, document(8))
    assert ids(again) == [f"page:{n}" for n in range(4, 9)]
    assert again.next_offset == 9
    assert len(tombstones(again)) == 4
    state = again.site_state("example.com")
    assert (state.fitted_at, state.model_version, state.learned) == (8, "v1", 9)
    again.close()


ARRIVALS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from("abcdefgh"), st.booleans()),
    min_size=1,
    max_size=14,
    unique_by=lambda arrival: arrival[0],
)


@settings(max_examples=40, deadline=None)
@given(ARRIVALS, st.randoms(use_true_random=False))
def test_a_window_depends_on_its_documents_not_on_their_order(arrivals, random):
    """Deletions come in one order with the fetches of their URL, as Kafka delivers them."""

    def window_of(some):
        with tempfile.TemporaryDirectory() as directory:
            store = WindowStore(Path(directory) / "w", SMALL)
            for number, url, _ in some:
                put(store, document(number, url=url, time_ms=number * DAY_MS))
            found = [(record.id, record.content_digest) for record in store.window("example.com")]
            state = store.site_state("example.com")
            store.close()
            return found, state.pages, state.bytes, state.newest_ms, state.oldest_ms

    shuffled = list(arrivals)
    random.shuffle(shuffled)
    assert window_of(arrivals) == window_of(shuffled)


def test_a_source_that_names_another_page_takes_the_place_of_the_first(store):
    """Two files of one name, one after the other, or a topic that was made anew."""
    put(store, document(1, url="https://example.com/a"), document(2, url="https://example.com/b"))
    other = document(1, url="https://example.com/c", time_ms=5 * DAY_MS, body=b"y" * 50)
    put(store, other)
    assert [one.url for one in store.window("example.com")] == [
        "https://example.com/b",
        "https://example.com/c",
    ]
    assert store.contributions("example.com")[1] == contribution(other)
    assert tombstones(store) == []  # the topic holds the new document under the same key
    put(store, document(3, url="https://example.com/a", time_ms=6 * DAY_MS))
    put(store, document(4, url="https://example.com/c", time_ms=7 * DAY_MS))
    assert ids(store) == ["page:2", "page:3", "page:4"]
    state = store.site_state("example.com")
    assert (state.pages, state.bytes) == (3, 300)


def test_a_source_that_names_the_same_url_at_another_time_is_moved(store):
    put(store, document(1, url="https://example.com/a"), document(2))
    put(store, document(1, url="https://example.com/a", time_ms=DAY_MS))
    assert ids(store) == ["page:2", "page:1"]
    assert store.site_state("example.com").pages == 2
