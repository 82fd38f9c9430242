import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.document import document_key
from tests.workers.builders import (
    BODY_BYTES,
    DAY_MS,
    document,
    entries_of,
    packed,
    site_model_record,
    stored_summary,
)
from workers.errors import OtherFormat
from workers.settings import load_settings
from workers.state import packing, window_store
from workers.state.packing import content_of
from workers.state.rocks import RocksDatabase
from workers.state.site_state import FittedSite
from workers.state.window_store import WindowStore

SMALL = load_settings(window_pages_max=5, window_floor_pages=2)


@pytest.fixture
def store(tmp_path):
    opened = WindowStore(tmp_path / "windows", SMALL)
    yield opened
    opened.close()


def put(store, *records):
    for record in records:
        store.enter(record, stored_summary(record), store.next_offset)


def ids(store, site="example.com"):
    return [record.id for record in store.window(site)]


def summaries(store):
    return [packed(store.page_of(key).summary) for _, key in store.fetches("example.com")]


def tombstones(store):
    return store.outbox.nulls(100)


def test_documents_come_back_in_order_of_event_time(store):
    put(store, document(3), document(1), document(2))
    assert ids(store) == ["page:1", "page:2", "page:3"]
    assert summaries(store) == [stored_summary(one) for one in store.window("example.com")]


def test_sites_whose_names_begin_alike_have_separate_windows(store):
    put(store, document(1, site="a.com"), document(2, site="a.com.br"))
    assert ids(store, "a.com") == ["page:1"]
    assert ids(store, "a.com.br") == ["page:2"]


def test_the_oldest_documents_leave_a_full_window_with_a_tombstone_each(store):
    put(store, *(document(n) for n in range(8)))
    assert ids(store) == [f"page:{n}" for n in range(3, 8)]
    assert tombstones(store) == [f"example.com\0pages-0-{n}".encode() for n in range(3)]
    state = store.site_state("example.com")
    assert (state.pages, state.bytes, state.learned) == (5, 5 * BODY_BYTES, 8)


def test_expiry_spares_a_key_that_was_refreshed_just_before(store):
    put(store, document(1, time_ms=0), document(2, time_ms=DAY_MS))
    put(store, document(1, time_ms=30 * DAY_MS))
    put(store, document(3, time_ms=31 * DAY_MS))
    assert ids(store) == ["page:1", "page:3"]
    assert tombstones(store) == [document_key("example.com", document(2).source)]


def test_a_document_too_old_for_its_window_is_tombstoned_at_once(store):
    put(store, *(document(n) for n in range(10, 15)))
    put(store, document(1))
    assert ids(store) == [f"page:{n}" for n in range(10, 15)]
    assert tombstones(store) == [b"example.com\0pages-0-1"]


def revised(number, url):
    return msgspec.structs.replace(document(number, url=url), revision=1)


def test_the_newest_version_of_a_url_stays(store):
    put(store, document(1, url="u"), document(3, url="u"), document(2, url="u"))
    assert ids(store) == ["page:3"]
    assert tombstones(store) == [b"example.com\0pages-0-1", b"example.com\0pages-0-2"]


def test_a_redelivered_document_keeps_its_place_and_gets_no_tombstone(store):
    put(store, document(1), document(2), document(1))
    assert ids(store) == ["page:1", "page:2"]
    assert tombstones(store) == []
    assert store.site_state("example.com").bytes == 2 * BODY_BYTES


def test_a_replayed_offset_changes_nothing(store):
    put(store, document(1))
    store.enter(document(2), stored_summary(document(2)), offset=0)
    assert ids(store) == ["page:1"]


def test_a_deletion_removes_its_url_and_refuses_older_fetches_that_arrive_later(store):
    put(store, document(1, url="u"), document(2))
    store.delete_url(document(5, url="u", kind="deletion"), store.next_offset)
    assert ids(store) == ["page:2"]
    assert tombstones(store) == [b"example.com\0pages-0-1"]
    put(store, document(4, url="u"))
    assert ids(store) == ["page:2"]
    put(store, document(6, url="u"))
    assert ids(store) == ["page:2", "page:6"]


@pytest.mark.parametrize(
    ("arrivals", "newest"),
    [
        ([document(1, url="u"), document(3, url="u")], None),
        ([revised(1, "u"), document(3, url="u")], "page:3"),
        ([document(3, url="u"), document(1, url="u")], "page:3"),
        ([document(3, url="u"), document(1, url="u", kind="deletion")], "page:3"),
        ([document(3, url="u", kind="deletion"), document(1, url="u")], "pages-0-3"),
        ([revised(1, "u"), document(3, url="u", kind="deletion")], "pages-0-3"),
        ([document(1, url="u"), document(3, url="u", kind="deletion")], None),
        ([revised(1, "u"), document(3, url="other")], None),
    ],
)
def test_a_url_whose_last_output_may_belong_to_an_older_fetch_is_superseded(
    store, arrivals, newest
):
    for record in arrivals:
        if record.kind == "deletion":
            store.delete_url(record, store.next_offset)
        else:
            put(store, record)
    superseded = store.outbox.superseded(10)
    if newest is None:
        assert superseded == []
        return
    ((key, url),) = superseded
    assert url == "u"
    known = store.newest("example.com", key)
    assert (known if isinstance(known, str) else known.id) == newest
    store.outbox.drop_superseded(key)
    assert store.outbox.superseded(10) == []


def test_a_page_that_has_left_its_window_is_not_taken_for_deleted(store):
    """Its deletion is older, and still remembered; windows that are rebuilt publish nothing before they are whole."""
    store.delete_url(document(1, url="u", kind="deletion"), store.next_offset)
    put(store, document(2, url="u"))
    assert [url for _, url in store.outbox.superseded(10)] == ["u"]
    put(store, *map(document, range(3, 12)))
    assert "page:2" not in ids(store)
    assert store.site_state("example.com").deletions == 1
    assert store.outbox.superseded(10) == []
    put(store, document(2, url="u"))  # as a revision brings it again
    assert store.outbox.superseded(10) == []


def test_on_files_an_older_fetch_is_superseded_and_an_overtaken_revision_is_not(store):
    revised = msgspec.structs.replace(document(1, url="u"), revision=1)
    for record in (revised, document(3, url="u")):
        store.enter(record, stored_summary(record), None)
    assert store.outbox.superseded(10) == []
    store.enter(document(2, url="u"), stored_summary(document(2)), None)
    assert [url for _, url in store.outbox.superseded(10)] == ["u"]


def test_a_tombstone_read_from_the_topic_is_not_sent_again(store):
    put(store, document(1), document(2))
    store.remove("example.com", b"example.com\0pages-0-1", store.next_offset)
    store.remove("example.com", b"example.com\0pages-0-9", store.next_offset)
    assert ids(store) == ["page:2"]
    assert tombstones(store) == []


def test_a_pending_tombstone_that_is_read_from_the_topic_is_not_sent(store):
    put(store, *(document(n) for n in range(7)))
    store.remove("example.com", b"example.com\0pages-0-0", store.next_offset)
    assert tombstones(store) == [b"example.com\0pages-0-1"]


def test_a_document_that_comes_again_before_its_tombstone_is_sent_keeps_its_record(store):
    put(store, *(document(n) for n in range(6)))
    assert tombstones(store) == [b"example.com\0pages-0-0"]
    again = msgspec.structs.replace(document(0), event_time_ms=document(9).event_time_ms)
    put(store, again)
    assert b"example.com\0pages-0-0" not in tombstones(store)
    assert ids(store)[-1] == "page:0"


def test_acknowledged_tombstones_leave_the_outbox(store):
    put(store, *(document(n) for n in range(8)))
    store.outbox.drop(store.outbox.nulls(2))
    assert tombstones(store) == [b"example.com\0pages-0-2"]


def test_everything_survives_a_restart(tmp_path):
    first = WindowStore(tmp_path / "windows", SMALL)
    put(first, *(document(n) for n in range(8)))
    first.mark_fitted(FittedSite(site_model_record("v1"), 8, 1.0, None, 0))
    first.close()
    again = WindowStore(tmp_path / "windows", SMALL)
    put(again, document(8))
    assert ids(again) == [f"page:{n}" for n in range(4, 9)]
    assert again.next_offset == 9
    assert len(tombstones(again)) == 4
    state = again.site_state("example.com")
    assert (state.fitted_at, state.model_version, state.learned) == (8, "v1", 9)
    again.close()


def arrivals(*fields):
    """Return lists of up to 14 arrivals on different days with the given further fields."""
    return st.lists(
        st.tuples(st.integers(0, 40), *fields),
        min_size=1,
        max_size=14,
        unique_by=lambda arrival: arrival[0],
    )


@settings(max_examples=80, deadline=None)
@given(arrivals(st.sampled_from("abcde"), st.booleans()))
def test_deleted_pages_do_not_come_back_in_any_order_of_arrival(coming):
    """There are five URLs, since a window of at most five documents remembers five deletions."""
    store = WindowStore(None, SMALL)
    gone_on = {}
    for day, url, is_deletion in coming:
        record = document(day, url=url, time_ms=day * DAY_MS)
        if is_deletion:
            gone_on[url] = max(day, gone_on.get(url, 0))
            store.delete_url(msgspec.structs.replace(record, kind="deletion"), store.next_offset)
        else:
            put(store, record)
        held = {one.url: one.event_time_ms // DAY_MS for one in store.window("example.com")}
        assert all(held[url] > gone_on[url] for url in held.keys() & gone_on.keys())
    state = store.site_state("example.com")
    assert state.deletions == len(gone_on)
    assert state.newest_ms == max(day for day, *_ in coming) * DAY_MS


def test_a_source_that_names_another_page_replaces_the_first_page(store):
    """This happens with two files of the same name, or when a topic was created again."""
    put(store, document(1, url="https://example.com/a"), document(2, url="https://example.com/b"))
    other = document(1, url="https://example.com/c", time_ms=5 * DAY_MS, body=packed(b"y" * 50))
    put(store, other)
    assert [one.url for one in store.window("example.com")] == [
        "https://example.com/b",
        "https://example.com/c",
    ]
    assert summaries(store)[1] == stored_summary(other)
    assert tombstones(store) == []  # the topic holds the new document under the same key
    put(store, document(3, url="https://example.com/a", time_ms=6 * DAY_MS))
    put(store, document(4, url="https://example.com/c", time_ms=7 * DAY_MS))
    assert ids(store) == ["page:2", "page:3", "page:4"]
    state = store.site_state("example.com")
    assert (state.pages, state.bytes) == (3, 3 * BODY_BYTES)


def test_a_source_that_names_the_same_url_at_another_time_is_moved(store):
    put(store, document(1, url="https://example.com/a"), document(2))
    put(store, document(1, url="https://example.com/a", time_ms=DAY_MS))
    assert ids(store) == ["page:2", "page:1"]
    assert store.site_state("example.com").pages == 2


def followed(store, records):
    """Return a store that has read the compacted topic, without records that have a tombstone."""
    gone = set(store.outbox.nulls(1000))
    new_store = WindowStore(None, SMALL)
    for offset, record in enumerate(records):
        if document_key(record.site, record.source) in gone:
            continue
        if record.kind == "deletion":
            new_store.delete_url(record, offset)
        else:
            new_store.enter(record, stored_summary(record), offset)
    keys = {family: set() for family in ("entries", "pages")}
    for family, key, _ in entries_of(new_store):
        if family in keys:
            keys[family].add(key)
    assert keys["entries"] == keys["pages"]
    return new_store


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.sampled_from("abcdefgh"), st.booleans()),
        min_size=1,
        max_size=16,
        unique_by=lambda arrival: arrival[0],
    )
)
def test_a_rebuilt_store_has_equal_windows_deletions_and_present_time(arrivals):
    records = [
        document(n, url=url, time_ms=n * DAY_MS, kind="deletion" if is_gone else "document")
        for n, url, is_gone in arrivals
    ]
    store = followed(WindowStore(None, SMALL), records)
    again = followed(store, records)
    assert list(again.window("example.com")) == list(store.window("example.com"))
    one, other = store.site_state("example.com"), again.site_state("example.com")
    assert (one.newest_ms, one.oldest_ms) == (other.newest_ms, other.oldest_ms)
    assert (one.pages, one.bytes, one.deletions) == (other.pages, other.bytes, other.deletions)
    late = document(1000, url=arrivals[0][1], time_ms=0)
    for some in (store, again):
        some.enter(late, stored_summary(late), 1000)
    assert ids(again) == ids(store)


def test_deletions_are_forgotten_when_older_fetches_can_no_longer_enter(store):
    put(store, document(1))
    store.delete_url(document(2, url="u", time_ms=0, kind="deletion"), store.next_offset)
    put(store, document(3, time_ms=181 * DAY_MS), document(4, time_ms=181 * DAY_MS))
    assert b"example.com\0pages-0-2" in tombstones(store)
    assert store.site_state("example.com").deletions == 0


def test_a_newer_deletion_replaces_an_older_one(store):
    for number in (2, 4, 3):
        store.delete_url(document(number, url="u", kind="deletion"), store.next_offset)
    assert tombstones(store) == [b"example.com\0pages-0-2", b"example.com\0pages-0-3"]
    assert store.site_state("example.com").deletions == 1


def test_the_stores_of_a_process_share_the_room_for_windows_in_memory(store, monkeypatch, tmp_path):
    monkeypatch.setattr(window_store, "_FETCHES_IN_MEMORY", 40)
    monkeypatch.setattr(window_store, "_OPEN_STORES", {store})
    sites = [f"{letter}.org" for letter in "abcdef"]
    put(store, *(document(number, site=site) for number, site in enumerate(sites)))
    assert store._sites.sites() == sites[-5:]
    other = WindowStore(tmp_path / "other", load_settings())
    put(store, document(7, site="g.org"))
    assert store._sites.sites() == ["f.org", "g.org"]
    other.close()
    assert [ids(store, site) for site in sites] == [[f"page:{n}"] for n in range(6)]


def test_values_are_compressed_with_pages_of_their_site_and_read_back(tmp_path):
    roomy = load_settings(window_pages_max=40)
    store = WindowStore(tmp_path / "w", roomy)
    menu = bytes(range(256)) * 8
    records = [document(n, body=packed(menu + b"article %d" % n)) for n in range(60)]
    put(store, *records)
    assert [store.compressed(one) for one in store.window("example.com")] == records[20:]
    assert summaries(store) == [stored_summary(one) for one in records[20:]]
    stored = sum(len(v) for f, _, v in entries_of(store) if f == "pages")
    assert stored < 40 * 60
    used = {entry.dictionary for entry in store.window_entries("example.com")}
    assert used == {20}
    assert store.site_state("example.com").dictionaries == [4, 20]
    assert len([f for f, _, _ in entries_of(store) if f == "dictionaries"]) == 2
    store.close()
    again = WindowStore(tmp_path / "w", roomy)
    assert [again.compressed(one) for one in again.window("example.com")] == records[20:]
    again.close()


def test_windows_of_another_version_are_refused(tmp_path):
    old = RocksDatabase(tmp_path / "w", ("documents", "meta"))
    old.close()
    with pytest.raises(OtherFormat, match="another version"):
        WindowStore(tmp_path / "w", SMALL)


def test_a_revision_stays_when_the_first_text_is_delivered_again(store):
    put(store, document(1))
    revised = msgspec.structs.replace(document(1), revision=1, kept=b"\x80")
    store.replace(revised, store.known(revised), store.next_offset)
    store.replace(document(1), store.known(document(1)), store.next_offset)
    (entry,) = store.window("example.com")
    assert (entry.revision, entry.kept) == (1, b"\x80")


def test_details_and_headers_of_a_document_are_stored_with_it(store):
    rest = {"details": packed(b"details"), "headers": [("trace", b"1"), ("none", None)]}
    put(store, msgspec.structs.replace(document(1), **rest), document(2))
    first, second = map(store.compressed, store.window("example.com"))
    assert (first.details, first.headers) == (rest["details"], rest["headers"])
    assert (second.details, second.headers) == (b"", [])
    entry = next(store.window_entries("example.com"))
    assert store.page_of(b"example.com\0pages-0-1").document == content_of(document(1).body)
    store.replace(msgspec.structs.replace(first, revision=1), entry, None)
    revised = store.compressed(next(store.window("example.com")))
    assert revised == msgspec.structs.replace(first, revision=1)


def test_details_that_cannot_be_read_are_left_out(store):
    put(store, msgspec.structs.replace(document(1), details=b"no frame", headers=[("trace", b"1")]))
    (read,) = store.window("example.com")
    assert (read.details, read.headers) == (b"", [("trace", b"1")])


def test_dictionaries_that_no_page_has_any_more_leave_the_memory(tmp_path):
    store = WindowStore(
        tmp_path / "windows", load_settings(window_pages_max=5, window_newest_pages=5)
    )
    for number in range(300):
        put(store, document(number, body=packed(b"%d" % number * 500)))
        assert all(store.content("example.com", one) for one in store.window_entries("example.com"))
    in_memory = packing._HOT.get((store.packers._number, "example.com"))
    assert in_memory.keys() <= set(store.site_state("example.com").dictionaries)
    assert max(in_memory) > 200
    store.close()
