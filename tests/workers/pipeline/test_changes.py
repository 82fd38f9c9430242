"""What records say has changed on pages that were fetched before."""

import msgspec
import pytest

from schemas.document import document_key
from tests.workers.builders import page
from tests.workers.memory_transport import MemoryTransport
from workers.local.local_state import LocalState
from workers.local.runner import Stream
from workers.pipeline.site_engine import SiteEngine
from workers.settings import Settings
from workers.state.window_store import WindowStore

MENU = "<ul><li>Home and more of the menu<li>About us and our friends</ul>"
URL = "https://example.com/story"
TOLD = Settings(changes=True)


def story(number, event="Nobody was hurt on that day.", **fields):
    said = f"The council met on Monday. {event} The bridge stays closed until May. "
    body = f"{MENU}<h1>Bridge closed</h1><p>{said}<p>{said.replace('The', 'A')}"
    return page(number, body.encode(), **{"url": URL, **fields})


@pytest.fixture
def stream(poison_pool):
    def make(settings=TOLD, **options):
        return Stream(LocalState(None, settings), poison_pool, settings, **options)

    return make


@pytest.fixture
def transport(tmp_path, poison_pool):
    store = WindowStore(tmp_path / "w", TOLD)
    yield MemoryTransport(store, poison_pool, TOLD)
    store.close()


@pytest.fixture
def documents(poison_pool):
    return lambda *pages: [SiteEngine(poison_pool, TOLD).clean(one).document for one in pages]


def test_files_say_what_has_changed_in_the_first_record_of_a_page(stream):
    files = stream()
    pages = [story(0), story(1, "Two were hurt.", fetched_at="2026-03-02T00:00:00Z"), story(2)]
    first, second, third = (files.process(one)[0].record for one in pages)
    assert first.changes is msgspec.UNSET
    assert (second.changes.degree, second.changes.since) == ("major", None)
    assert second.changes.added == ["Two were hurt."]
    assert second.changes.removed == ["Nobody was hurt on that day."]
    assert third.changes.since == "2026-03-02T00:00:00Z"
    assert third.changes.removed == ["Two were hurt."]


def test_a_record_that_nobody_asks_says_nothing(stream):
    files = stream(Settings())
    for number in range(2):
        record = files.process(story(number, f"Number {number}."))[0].record
    assert record.changes is msgspec.UNSET
    assert b"changes" not in msgspec.json.encode(record)


@pytest.mark.parametrize(
    "late",
    [{"event_time_ms": 1}, {"url": URL + "/another"}, {"status": 500}],
    ids=["older", "other page", "error page"],
)
def test_only_a_later_fetch_of_the_page_is_compared(stream, late):
    files = stream()
    files.process(story(5))
    record = files.process(story(6, "Two were hurt.", **late))[0].record
    assert record.changes is msgspec.UNSET


def test_the_refresher_publishes_a_page_that_came_again_with_what_has_changed(transport, documents):
    transport.learn(*documents(story(0), story(1, "Two were hurt.")))
    transport.carry_out_all(transport.engine.next_changed)
    (record,) = transport.texts
    assert (record.url, record.revision, record.revision_reason) == (URL, 1, "changed")
    assert record.changes.added == ["Two were hurt."]
    assert [one.revision for one in transport.store.window("example.com")] == [1]
    assert transport.engine.next_changed() == []


def test_a_page_that_came_again_is_published_once_although_it_was_revised(transport, documents):
    first, second, third = documents(story(0), story(1, "Two died."), story(2, "All is well."))
    transport.learn(first, second)
    transport.carry_out_all(transport.engine.next_changed)
    transport.learn(third)
    transport.carry_out_all(transport.engine.next_superseded)
    transport.carry_out_all(transport.engine.next_changed)
    assert [one.source.offset for one in transport.texts] == [1, 2]


def test_changes_that_are_not_published_are_told_after_a_crash(tmp_path, poison_pool, documents):
    store = WindowStore(tmp_path / "w", TOLD)
    MemoryTransport(store, poison_pool, TOLD).learn(*documents(story(0), story(1, "It is 1.")))
    store.close()
    store = WindowStore(tmp_path / "w", TOLD)
    transport = MemoryTransport(store, poison_pool, TOLD)
    transport.carry_out_all(transport.engine.next_changed)
    assert len(transport.texts) == 1
    store.close()


@pytest.mark.parametrize("how", ["equal", "rebuilt", "gone"])
def test_the_refresher_says_nothing_of(transport, documents, how):
    first, second = documents(story(0), story(1, "" if how == "equal" else "Two were hurt."))
    if how == "equal":
        second = msgspec.structs.replace(first, source=second.source, event_time_ms=99_999)
    if how == "rebuilt":  # The topic has the document that was published with the changes.
        second = msgspec.structs.replace(second, revision=1)
    transport.learn(first, second)
    if how == "gone":
        key = document_key(second.site, second.source)
        transport.store.remove(second.site, key.decode().partition("\0")[2], 2)
    transport.carry_out_all(transport.engine.next_changed)
    assert transport.texts == []
