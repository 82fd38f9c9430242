import msgspec
import pytest

from schemas.source import Source
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.config import SCHEDULE
from tests.workers.builders import other_page_model, packed, page
from workers.pipeline.cleaner import Cleaned, Cleaner, NoModels
from workers.pipeline.refresher import NotLearned, Refresher
from workers.processes.learning import LearnResult, RefitTask, TemplatesTask
from workers.processes.tasks import Failure, InProcess
from workers.settings import load_settings
from workers.state.window_store import WindowStore

MENU = "<ul><li>Home and more of the menu<li>About us and our friends</ul>"


@pytest.fixture
def store(tmp_path, poison_settings):
    opened = WindowStore(tmp_path / "w", poison_settings)
    yield opened
    opened.close()


@pytest.fixture
def documents(poison_pool, poison_settings):
    cleaner = Cleaner(poison_pool, NoModels(), poison_settings)

    def make(count, start=0):
        for number in range(start, start + count):
            story = f"<p>Article {number} says this, and then that. " * 3
            body = f"<h1>Article {number}</h1><p>By Ann Reed{MENU}<div>{story}</div>"
            outcome = cleaner.process(page(number, body.encode()))
            assert isinstance(outcome, Cleaned)
            yield outcome.document

    return make


class StoredModel:
    model = None

    def get(self, _site):
        return self.model


def learn(refresher, store, documents):
    """Feed documents as the workers do; answers the models published."""
    published = []
    for document in documents:
        assert refresher.process(document, store.next_offset) is None
        fitted = refresher.due_model(document.site)
        if fitted is not None:
            published.append(fitted[0])
            refresher.mark_published(*fitted)
    return published


def test_models_are_published_by_the_schedule(store, poison_pool, poison_settings, documents):
    refresher = Refresher(store, poison_pool, poison_settings)
    published = learn(refresher, store, documents(32))
    assert [model.documents for model in published] == [*SCHEDULE.first_fits, 27, 30]
    assert len({model.version for model in published}) == len(published)
    assert refresher.due_sites() == []


def test_the_same_documents_give_the_same_model(
    tmp_path, store, poison_pool, poison_settings, documents
):
    some = list(documents(6))
    one = Refresher(store, poison_pool, poison_settings)
    learn(one, store, some)
    other_store = WindowStore(tmp_path / "other", poison_settings)
    other = Refresher(other_store, poison_pool, poison_settings)
    learn(other, other_store, reversed(some))
    assert one.fit("example.com") == other.fit("example.com")
    other_store.close()


def test_a_crash_between_learning_and_publishing_leaves_the_site_due(
    store, poison_pool, poison_settings, documents
):
    refresher = Refresher(store, poison_pool, poison_settings)
    for document in documents(3):
        refresher.process(document, store.next_offset)
    assert refresher.due_sites() == ["example.com"]


def test_a_document_that_cannot_be_read_is_left_out_by_name(
    store, poison_pool, poison_settings, documents
):
    refresher = Refresher(store, poison_pool, poison_settings)
    (good,) = documents(1)
    damaged = msgspec.structs.replace(good, body=b"damaged", source=Source("pages", 0, 77))
    problem = refresher.process(damaged, store.next_offset)
    assert isinstance(problem, NotLearned)
    assert "not a document" in problem.reason
    assert store.next_offset == 1
    assert refresher.fit("example.com") is None


def test_a_busy_machine_does_not_cost_the_window_a_document(store, documents, poison_settings):
    """A document has the time of a refit: its page was read within its own deadline already."""
    asked = []

    class Slow:
        def run(self, _site, task, deadline_s):
            asked.append((type(task).__name__, deadline_s))
            return LearnResult(packed(b"")), 1

    assert Refresher(store, Slow(), poison_settings).process(next(documents(1)), 0) is None
    assert asked == [("LearnTask", poison_settings.refit_deadline_s)]


def test_texts_are_revised_when_the_model_has_grown_up_and_never_twice_alike(
    store, poison_pool, poison_settings, documents
):
    refresher = Refresher(store, poison_pool, poison_settings)
    sent = []
    for document in documents(32):
        refresher.process(document, store.next_offset)
        fitted = refresher.due_model(document.site)
        if fitted is None:
            continue
        refresher.mark_published(*fitted)
        for revision in refresher.revisions(fitted[0]):
            refresher.mark_revised(revision)
            sent.append((fitted[0].documents, revision))
        assert list(refresher.revisions(fitted[0])) == []
    assert min(documents for documents, _ in sent) == 8
    texts = {}
    for _, one in sent:
        record = one.record
        assert record.revision in {1, 2}
        assert record.revision_reason in {"first-mature-model", "settled-model"}
        assert "Home and more" not in record.text
        assert record.text not in texts.setdefault(record.source, [])
        texts[record.source].append(record.text)
    known = {one.source: one for one in store.window("example.com")}
    assert all(known[one.document.source].revision == one.record.revision for _, one in sent)


def test_a_page_that_an_older_fetch_has_overtaken_is_published_again(
    store, poison_pool, poison_settings, documents
):
    refresher = Refresher(store, poison_pool, poison_settings)
    newer, older = list(documents(2))
    older = msgspec.structs.replace(older, url=newer.url, event_time_ms=newer.event_time_ms - 1)
    learn(refresher, store, [newer, older])
    ((key, url),) = store.superseded(10)
    revision = refresher.newest(key)
    assert (revision.record.source, revision.record.revision) == (newer.source, 1)
    assert revision.record.revision_reason == "superseded"
    assert revision.record.url == url == newer.url
    refresher.mark_revised(revision)
    assert [entry.revision for entry in store.window_entries(newer.site)] == [1]


def test_another_page_model_reads_the_window_anew(
    tmp_path, store, poison_pool, poison_settings, documents
):
    some = list(documents(3))
    learn(Refresher(store, poison_pool, poison_settings), store, some)
    runner = InProcess(other_page_model())
    refitted = Refresher(store, runner, poison_settings).fit("example.com")[0]
    fresh_store = WindowStore(None, poison_settings)
    fresh = Refresher(fresh_store, runner, poison_settings)
    learn(fresh, fresh_store, some)
    assert refitted == fresh.fit("example.com")[0]


def test_templates_are_learned_from_the_first_pages_of_the_latest_contents(
    store, poison_settings, documents
):
    tasks = []

    class Noting(InProcess):
        def run(self, site, task, deadline_s):
            tasks.append(task)
            return super().run(site, task, deadline_s)

    refresher = Refresher(store, Noting(shipped_model()), poison_settings)
    some = list(documents(3))
    again = [
        msgspec.structs.replace(
            some[number % 2], id=f"page:{number}", url=f"https://example.com/{number}",
            source=Source("pages", 0, number), event_time_ms=number * 60_000,
        )
        for number in range(3, 60)
    ]  # fmt: skip
    learn(refresher, store, [*some, *again])
    refresher.fit("example.com")
    fitted = [one for one in tasks if isinstance(one, TemplatesTask)]
    assert [one.page_id for one in fitted[-1].latest] == [one.id for one in some]
    refitted = [one for one in tasks if isinstance(one, RefitTask)]
    assert len(refitted[-1].window) > 50


def test_after_a_redesign_the_texts_of_the_new_design_are_looked_at_again(store, poison_settings):
    runner = InProcess(shipped_model())
    refresher = Refresher(store, runner, poison_settings)
    models = StoredModel()
    cleaner = Cleaner(runner, models, poison_settings)
    reasons = []
    for number in range(70):
        design = "old" if number < 40 else "new"
        menu = MENU.replace("<li>", f"<li class={design}>")
        text = f"<p class={design}-text>Article {number} says this, and then that, too. " * 3
        outcome = cleaner.process(page(number, f"<div class={design}>{menu}{text}".encode()))
        refresher.process(outcome.document, store.next_offset)
        fitted = refresher.due_model("example.com")
        if fitted is None:
            continue
        refresher.mark_published(*fitted)
        models.model = fitted[0]
        for revision in refresher.revisions(fitted[0]):
            refresher.mark_revised(revision)
            reasons.append((revision.record.source.offset, revision.record.revision_reason))
    state = store.site_state("example.com")
    assert (state.changed_at_ms, state.of_old_design) == (40 * 60_000, 40)
    assert state.fit > 0.9
    assert {number for number, reason in reasons if reason == "redesign"} <= set(range(40, 70))
    assert {number for number, reason in reasons if reason != "redesign"} <= set(range(24))
    looked_at = [entry.looked_at for entry in store.window_entries("example.com")]
    assert min(looked_at[40:]) >= 64


def test_a_window_that_rolled_is_fitted_as_by_a_child_that_has_seen_nothing(documents):
    few = load_settings(window_pages_max=12, window_floor_pages=4)
    store = WindowStore(None, few)
    warm = Refresher(store, InProcess(shipped_model()), few)
    learn(warm, store, documents(40))
    cold = Refresher(store, InProcess(shipped_model()), few)
    assert store.site_state("example.com").pages == 12
    assert warm.refit("example.com") == cold.refit("example.com")
    assert warm.fit("example.com") == cold.fit("example.com")


def test_templates_that_cannot_be_fitted_are_tried_at_their_next_turn(
    store, poison_settings, documents
):
    class Failing(InProcess):
        def run(self, site, task, deadline_s):
            if isinstance(task, TemplatesTask):
                return Failure("DeadlineExceeded", "no result within 1 s", "refused"), 1
            return super().run(site, task, deadline_s)

    refresher = Refresher(store, Failing(shipped_model()), poison_settings)
    published = learn(refresher, store, documents(5))
    assert [model.documents for model in published] == [1, 2, 3, 5]
    assert store.templates("example.com") is None
    assert store.site_state("example.com").templates_at == 5
