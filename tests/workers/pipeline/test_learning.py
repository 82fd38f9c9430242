from random import Random

import msgspec
import pytest

from schemas.cleaned import DeletedRecord
from schemas.codec import decode_site_model_record, encode_msgpack
from schemas.document import document_key
from schemas.source import Source
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.dom.document import parse_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.stored.compact import content_digest
from tests.templ_core.site_level.repeating_site import sentence
from tests.workers.builders import MENU, OneModel, article, other_page_model, packed, page
from tests.workers.memory_transport import MemoryTransport
from workers.lab.in_process import InProcess
from workers.pipeline.actions import Forget
from workers.pipeline.page_cleaner import PageCleaner
from workers.pipeline.site_engine import SiteEngine
from workers.processes.messages import Cleaned, Failure, LearnResult, RefitTask
from workers.settings import load_settings
from workers.state.site_state import FittedSite, model_is_due
from workers.state.window_store import WindowStore

NOTICE = (
    "We print letters of our readers each Saturday, so please write to us before the end of the week, with your name and "
    "the town you live in. Two of our editors read and answer each of them, and choose five for the last page."
)
"""A paragraph below each story, which only a memory of the site knows as its template."""


@pytest.fixture
def store(tmp_path, poison_settings):
    opened = WindowStore(tmp_path / "w", poison_settings)
    yield opened
    opened.close()


@pytest.fixture
def documents(poison_pool, poison_settings):
    cleaner = PageCleaner(poison_pool, poison_settings)

    def make(count, start=0):
        for number in range(start, start + count):
            rng = Random(number)
            story = "".join(f"<p>{sentence(rng, 40)}" for _ in range(4))
            outcome = cleaner.clean(article(number, f"<div>{story}</div><p>{NOTICE}"))
            assert isinstance(outcome, Cleaned)
            yield outcome.document

    return make


@pytest.fixture
def transport(store, poison_pool, poison_settings):
    return MemoryTransport(store, poison_pool, poison_settings)


@pytest.fixture
def revising(store, poison_pool, poison_settings):
    """A transport of an engine that revises texts."""
    return MemoryTransport(store, poison_pool, poison_settings, revises=True)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"content_digest": b"another"}, "damaged document: its digest does not fit"),
        ({"body": b"damaged"}, "not a document: error when determining content size"),
    ],
)
def test_a_damaged_document_is_left_out_and_the_next_one_is_learned(
    store, transport, documents, changed, said
):
    one, other = documents(2)
    damaged = msgspec.structs.replace(one, **changed)
    assert transport.engine.learn(damaged, store.next_offset) == said
    assert store.next_offset == 1
    assert transport.fit("example.com") is None
    assert transport.engine.learn(other, store.next_offset) is None
    assert store.site_state("example.com").pages == 1


def test_a_document_without_text_is_left_out(transport, documents):
    columns = document_columns(parse_document("", "https://example.com/"))
    [record] = documents(1)
    empty = msgspec.structs.replace(
        record, body=compress_columns(columns), content_digest=content_digest(columns), summary=b""
    )
    assert transport.engine.learn(empty, 0) == "the document has no text"


def test_models_are_published_by_the_schedule(store, transport, documents):
    transport.learn(*documents(32))
    published = transport.models
    assert [model.documents for model in published] == [1, 2, 3, 4, 6, 8, 11, 15, 20, 27]
    assert len({model.version for model in published}) == len(published)
    assert not model_is_due(store.site_state("example.com"))


def test_models_carry_the_template_of_their_site_where_it_is_asked_for(
    store, poison_pool, poison_settings, transport, documents
):
    some = list(documents(11))
    transport.learn(*some[:3])
    assert {one.template for one in transport.models} == {None}
    settings = msgspec.structs.replace(poison_settings, site_templates=True)
    asked = MemoryTransport(store, poison_pool, settings)
    asked.learn(*some[3:])
    templates = {one.documents: one.template for one in asked.models}
    assert templates.keys() == {4, 6, 8, 11}
    assert templates[4] is templates[6] is None
    template = templates[11]
    assert (template.site, template.pages) == ("example.com", 11)
    lines = {line.text: line.pages for part in template.parts for line in part.lines}
    assert lines[NOTICE] == 11
    assert not any("says this" in text for text in lines)
    record = asked.models[-1]
    assert decode_site_model_record(encode_msgpack(record)) == record


def test_equal_documents_in_another_order_give_an_equal_model(
    tmp_path, store, poison_pool, poison_settings, documents
):
    some = list(documents(6))
    transport = MemoryTransport(store, poison_pool, poison_settings)
    transport.learn(*some)
    other_store = WindowStore(tmp_path / "other", poison_settings)
    other = MemoryTransport(other_store, poison_pool, poison_settings)
    other.learn(*reversed(some))
    assert transport.fit("example.com") == other.fit("example.com")
    other_store.close()


def test_a_crash_between_learning_and_publishing_leaves_the_site_due(store, transport, documents):
    for document in documents(3):
        transport.engine.learn(document, store.next_offset)
    assert model_is_due(store.site_state("example.com"))


def test_a_busy_machine_does_not_cost_the_window_a_document(store, documents, poison_settings):
    """A document has the time of a refit: its page was read within its own deadline already."""
    asked = []

    class Slow:
        def run(self, _site, task, deadline_s):
            asked.append((type(task).__name__, deadline_s))
            return LearnResult(packed(b"")), 1

    unread = msgspec.structs.replace(next(documents(1)), summary=b"")
    assert SiteEngine(Slow(), poison_settings, windows=store).learn(unread, 0) is None
    assert asked == [("LearnTask", poison_settings.refit_deadline_s)]


def test_a_document_that_comes_with_its_summary_is_not_read_again(
    store, poison_pool, poison_settings, documents
):
    class Nobody:
        def run(self, _site, task, _deadline_s):
            raise AssertionError(f"{type(task).__name__} for a page that was read before")

    [document] = documents(1)
    assert SiteEngine(Nobody(), poison_settings, windows=store).learn(document, 0) is None
    came_with = stored_summary(store)
    unread = msgspec.structs.replace(
        document, summary=b"", source=Source("pages", 0, 77), id="again"
    )
    assert SiteEngine(poison_pool, poison_settings, windows=store).learn(unread, 1) is None
    assert stored_summary(store) == came_with


def stored_summary(store):
    """Return the summary of the newest document of the window."""
    *_, (_, key) = store.fetches("example.com")
    return store.page_of(key).summary


def texts_to_compare(transport, model):
    fitted = FittedSite(model, model.documents, 1.0, None, 0)
    return list(transport.engine._to_compare(fitted))


def test_the_newest_texts_are_compared_again_when_a_site_begins_to_repeat_text(revising, documents):
    revising.learn(*documents(40))
    model = msgspec.structs.replace(revising.models[-1], documents=7)
    assert not texts_to_compare(revising, model)
    fitted = FittedSite(model, model.documents, 1.0, None, 0, learned_text=True)
    compared = list(revising.engine._to_compare(fitted))
    assert {one.reason for one in compared} == {"repeated-text"}
    window = sorted(
        revising.engine._windows.window_entries("example.com"), key=lambda one: one.event_time_ms
    )
    assert {one.entry.source for one in compared} == {one.source for one in window[-24:]}


def test_texts_are_revised_when_the_model_has_grown_up_and_never_twice_alike(
    store, revising, documents
):
    revising.learn(*documents(27))
    for model in revising.models:
        if model.documents < 8:
            assert not texts_to_compare(revising, model)
    assert not texts_to_compare(revising, revising.models[-1])
    texts = {}
    for record in revising.texts:
        assert record.revision in {1, 2}
        assert record.revision_reason in {"first-mature-model", "settled-model"}
        if record.revision_reason == "settled-model":
            assert NOTICE not in record.text
        assert record.text not in texts.setdefault(record.source, [])
        texts[record.source].append(record.text)
    assert texts
    latest = {record.source: record.revision for record in revising.texts}
    known = {one.source: one.revision for one in store.window("example.com")}
    assert latest == {source: known[source] for source in latest}
    sent = {one.source: one.revision for one in revising.documents}
    assert sent == latest


def published_again(transport, documents):
    """Learn a page, and then an older fetch of it; return the document and what is published again."""
    newer, older = documents(2)
    older = msgspec.structs.replace(older, url=newer.url, event_time_ms=newer.event_time_ms - 1)
    transport.learn(newer, older)
    transport.carry_out_all(transport.engine.next_superseded)
    (record,) = transport.texts
    return newer, record


@pytest.mark.parametrize("revises", [True, False])
def test_a_page_that_an_older_fetch_has_superseded_is_published_again(
    store, poison_pool, poison_settings, documents, revises
):
    transport = MemoryTransport(store, poison_pool, poison_settings, revises=revises)
    newer, record = published_again(transport, documents)
    assert (record.url, record.source, record.revision) == (newer.url, newer.source, 1)
    assert record.revision_reason == "superseded"
    assert [entry.revision for entry in store.window_entries(newer.site)] == [1]
    assert store.outbox.superseded(10) == []


def test_a_superseded_page_of_a_site_that_cannot_be_fitted_is_published_again(
    store, poison_pool, poison_settings, documents
):
    class NoModels:
        def run(self, site, task, deadline_s):
            if isinstance(task, RefitTask):
                return Failure("MemoryError", "no room", "refused"), 1
            return poison_pool.run(site, task, deadline_s)

    transport = MemoryTransport(store, NoModels(), poison_settings)
    newer, record = published_again(transport, documents)
    assert (record.source, record.revision_reason) == (newer.source, "superseded")
    assert record.site_model_version is None


def test_the_same_page_with_the_same_time_is_not_published_again(
    store, poison_pool, poison_settings, documents
):
    transport = MemoryTransport(store, poison_pool, poison_settings)
    (document,) = documents(1)
    again = msgspec.structs.replace(document, source=Source("pages", 0, 77))
    transport.learn(document, again)
    assert store.outbox.superseded(10) == []


def test_a_deleted_page_that_an_older_fetch_follows_is_deleted_again(store, revising, documents):
    late, gone = list(documents(2))
    gone = msgspec.structs.replace(gone, kind="deletion", url=late.url, body=b"")
    revising.engine.learn(gone, store.next_offset)
    revising.learn(late)
    revising.carry_out_all(revising.engine.next_superseded)
    (record,) = revising.texts
    assert isinstance(record, DeletedRecord)
    assert (record.url, record.source) == (late.url, gone.source)


def test_documents_that_leave_a_window_are_forgotten_once_their_tombstones_are_out(
    poison_pool, documents
):
    few = load_settings(window_pages_max=5, window_floor_pages=2)
    store = WindowStore(None, few)
    transport = MemoryTransport(store, poison_pool, few)
    some = list(documents(8))
    transport.learn(*some)
    [interrupted] = transport.engine.next_of_outbox()
    assert isinstance(interrupted, Forget)
    transport.carry_out_all(transport.engine.next_of_outbox)
    assert transport.forgotten == [document_key(one.site, one.source) for one in some[:3]]
    transport.carry_out_all(transport.engine.next_of_outbox)
    assert len(transport.forgotten) == 3


def test_another_page_model_reads_the_window_again(store, poison_pool, poison_settings, documents):
    some = list(documents(3))
    MemoryTransport(store, poison_pool, poison_settings).learn(*some)
    runner = InProcess(other_page_model())
    refitted = MemoryTransport(store, runner, poison_settings).fit("example.com")
    fresh = MemoryTransport(WindowStore(None, poison_settings), runner, poison_settings)
    fresh.learn(*some)
    assert refitted == fresh.fit("example.com")


def test_after_a_redesign_the_texts_of_the_new_design_are_compared_again(store, poison_settings):
    runner = InProcess(shipped_model())
    transport = MemoryTransport(store, runner, poison_settings, revises=True)
    models = OneModel()
    cleaner = PageCleaner(runner, poison_settings, models=models)
    for number in range(70):
        design = "old" if number < 40 else "new"
        menu = MENU.replace("<li>", f"<li class={design}>")
        text = f"<p class={design}-text>Article {number} says this, and then that, too. " * 3
        outcome = cleaner.clean(page(number, f"<div class={design}>{menu}{text}".encode()))
        transport.learn(outcome.document)
        models.model = transport.models[-1]
    state = store.site_state("example.com")
    assert (state.changed_at_ms, state.of_old_design) == (40 * 60_000, 40)
    assert state.fit > 0.9
    reasons = [(one.source.offset, one.revision_reason) for one in transport.texts]
    assert {number for number, reason in reasons if reason == "redesign"} <= set(range(40, 70))
    assert {number for number, reason in reasons if reason != "redesign"} <= set(range(24))
    compared_documents = [entry.compared_documents for entry in store.window_entries("example.com")]
    assert min(compared_documents[40:]) >= 64


def test_a_new_design_is_learned_from_its_third_page_on(store, poison_settings):
    runner, models = InProcess(shipped_model()), OneModel()
    transport = MemoryTransport(store, runner, poison_settings)
    cleaner = PageCleaner(runner, poison_settings, models=models)
    for number in range(50):
        is_old = number < 40
        story = f"Article {number} says this, and then that, and it goes on and on. " * 3
        old = f"<div class=old>{MENU}<p class=story>{story}</div>"
        new = f"<table class=page><tr><td>{MENU}<td><h2>{story}</h2><blockquote>{story}</table>"
        outcome = cleaner.clean(page(number, (old if is_old else new).encode()))
        transport.learn(outcome.document)
        models.model = transport.models[-1]
    assert [one.documents for one in transport.models][-4:] == [43, 44, 46, 48]


def test_a_window_that_rolled_is_fitted_as_by_a_child_that_has_seen_nothing(documents):
    few = load_settings(window_pages_max=12, window_floor_pages=4)
    store = WindowStore(None, few)
    warm = MemoryTransport(store, InProcess(shipped_model()), few)
    warm.learn(*documents(40))
    cold = MemoryTransport(store, InProcess(shipped_model()), few)
    assert store.site_state("example.com").pages == 12
    assert warm.engine.fit("example.com") == cold.engine.fit("example.com")
    assert warm.fit("example.com") == cold.fit("example.com")
