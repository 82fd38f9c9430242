"""Pages of a new site that arrive together are cleaned with a model that is fitted on them."""

import msgspec
import pytest

from tests.workers.builders import OneModel, article, page
from tests.workers.memory_transport import MemoryTransport
from workers.pipeline.actions import Dead, Deleted
from workers.pipeline.site_engine import SiteEngine
from workers.pipeline.site_models import ProvisionalModels
from workers.processes.messages import BurstTask, Cleaned, CleanTask
from workers.processes.pool import Pool
from workers.settings import load_settings
from workers.state.window_store import WindowStore


class Spy:
    """Passes tasks on to a pool, and remembers them."""

    def __init__(self, pool):
        self._pool = pool
        self.tasks = []

    def run(self, site, task, deadline_s):
        self.tasks.append(task)
        return self._pool.run(site, task, deadline_s)

    def count(self, kind):
        return sum(isinstance(task, kind) for task in self.tasks)


@pytest.fixture
def spy(poison_pool):
    return Spy(poison_pool)


@pytest.fixture
def cleaner(spy, poison_settings):
    return SiteEngine(spy, poison_settings)


def clean_batch(cleaner, pages):
    """The outcomes of pages of one site that are in one batch."""
    together = cleaner.clean_together(pages)
    return [cleaner.clean(one, together) for one in pages]


def test_pages_of_a_new_site_are_cleaned_with_what_they_share(cleaner, spy):
    pages = [article(number) for number in range(6)]
    alone = cleaner.clean(pages[0])
    outcomes = clean_batch(cleaner, pages)
    assert [one.record.source for one in outcomes] == [one.source for one in pages]
    assert {one.record.method for one in outcomes} == {"site"}
    assert len({one.record.site_model_version for one in outcomes}) == 1
    assert alone.record.method == "page"
    assert {one.document.model_documents for one in outcomes} == {6}
    assert {one.document.site_model_version for one in outcomes} == {
        outcomes[0].record.site_model_version
    }
    assert all(one.document.content_digest for one in outcomes)
    assert alone.document.body == outcomes[0].document.body
    assert (spy.count(BurstTask), spy.count(CleanTask)) == (1, 1)


def test_the_provisional_model_is_the_one_of_a_window_of_the_same_documents(
    cleaner, poison_pool, poison_settings, tmp_path
):
    pages = [article(number) for number in range(5)]
    backwards = list(reversed(pages))
    outcomes = clean_batch(cleaner, backwards)
    store = WindowStore(tmp_path / "w", poison_settings)
    transport = MemoryTransport(store, poison_pool, poison_settings, revises=True)
    transport.learn(*(one.document for one in outcomes))
    fitted = transport.fit("example.com")
    provisional = cleaner._provisional.best("example.com", None)
    store.close()
    assert msgspec.structs.asdict(provisional) == msgspec.structs.asdict(fitted)
    assert transport.texts == []


def test_a_text_of_a_provisional_model_is_revised_as_one_of_a_young_model(
    cleaner, poison_pool, poison_settings, tmp_path
):
    first = clean_batch(cleaner, [article(number) for number in range(3)])
    store = WindowStore(tmp_path / "w", poison_settings)
    transport = MemoryTransport(store, poison_pool, poison_settings, revises=True)
    transport.learn(*(one.document for one in first))
    assert [one.looked_at for one in store.window_entries("example.com")] == [3, 3, 3]
    later = [cleaner.clean(article(number)) for number in range(3, 8)]
    transport.learn(*(one.document for one in later))
    assert {one.documents for one in transport.models} >= {3, 8}
    assert [one.looked_at for one in store.window_entries("example.com")] == [8] * 8
    store.close()


@pytest.mark.parametrize(
    ("pages", "settings"),
    [
        ([article(1), article(2)], {}),
        ([article(1), article(2), article(3)], {"burst_pages_min": 0}),
        ([article(1), article(2), article(3)], {"burst_pages_min": 4}),
        ([article(n, url="https://example.com/same") for n in range(5)], {}),
        ([article(1), article(2), *(article(n, status=410) for n in range(3, 6))], {}),
    ],
    ids=["few", "off", "fewer than asked for", "one URL", "deletions"],
)
def test_too_few_pages_are_not_cleaned_together(spy, poison_settings, pages, settings):
    cleaner = SiteEngine(spy, msgspec.structs.replace(poison_settings, **settings))
    assert cleaner.clean_together(pages) == {}
    assert spy.tasks == []


def test_pages_that_say_the_same_are_cleaned_as_those_of_a_new_site(cleaner):
    same = "<p>" + "The council met on Monday, and the bridge stays open until May. " * 9
    outcomes = clean_batch(cleaner, [page(n, same.encode()) for n in range(5)])
    assert {one.record.method for one in outcomes} == {"page"}
    assert {one.record.site_model_version for one in outcomes} == {None}
    assert cleaner.clean(article(9)).record.site_model_version is None


def test_nothing_is_learned_from_error_pages_and_gates_of_a_burst(cleaner):
    gate = page(7, b"<title>Log in</title><p>User name and password, please")
    pages = [*(article(number) for number in range(4)), article(5, status=500), gate]
    outcomes = clean_batch(cleaner, pages)
    assert {one.document and one.document.model_documents for one in outcomes} == {4, None}
    assert [one.document is None for one in outcomes] == [False] * 4 + [True] * 2
    assert outcomes[4].record.method == "site"


@pytest.mark.parametrize(
    ("poison", "exception", "together"),
    [
        ("POISON-RAISE", "ValueError", 5),
        ("POISON-HANG", "DeadlineExceeded", 0),
        ("POISON-KILL", "ProcessDied", 0),
        ("POISON-MEMORY", "OutOfMemory", 0),
    ],
)
def test_one_page_of_a_burst_takes_no_other_with_it(
    cleaner, spy, caplog, poison, exception, together
):
    pages = [article(number, poison if number == 2 else "") for number in range(6)]
    outcomes = clean_batch(cleaner, pages)
    assert isinstance(outcomes[2], Dead)
    assert outcomes[2].letter.exception == exception
    others = [one for number, one in enumerate(outcomes) if number != 2]
    assert all(isinstance(one, Cleaned) for one in others)
    assert sum(one.document.model_documents == 5 for one in others) == together
    assert spy.count(BurstTask) == 1
    lines = [one for one in caplog.messages if "could not be cleaned together" in one]
    assert len(lines) == (not together)
    if lines:
        assert lines[0].startswith("6 pages of the new site example.com could not be cleaned ")
        assert exception in lines[0]


def test_a_deletion_and_a_refused_page_of_a_burst_keep_their_places(cleaner):
    pages = [article(number) for number in range(5)]
    pages[1] = page(1, None)
    pages[3] = page(3, b"%PDF-1.4 \xe2\xe3\xcf\xd3 stream")
    outcomes = clean_batch(cleaner, pages)
    assert [type(one) for one in outcomes] == [Cleaned, Deleted, Cleaned, Dead, Cleaned]
    assert outcomes[3].letter.exception == "UnsupportedContent"
    assert outcomes[4].document.model_documents == 3


@pytest.mark.parametrize("bound", [{"burst_pages_max": 4}, {"burst_bytes": 1 << 20}])
def test_pages_beyond_the_bounds_are_cleaned_with_the_same_model(poison_pool, bound):
    settings = load_settings(**bound)
    comment = f"<!--{'x' * (300 << 10)}-->"
    pool = Pool(settings, children=1)
    spy = Spy(pool)
    outcomes = clean_batch(
        SiteEngine(spy, settings), [article(number, comment) for number in range(7)]
    )
    pool.close()
    assert {one.document.model_documents for one in outcomes} == {4}
    assert len({one.record.site_model_version for one in outcomes}) == 1
    assert (spy.count(BurstTask), spy.count(CleanTask)) == (1, 3)


def test_a_site_with_a_model_of_three_documents_is_not_new(spy, poison_settings):
    published = OneModel()
    cleaner = SiteEngine(spy, poison_settings, models=published)
    clean_batch(cleaner, [article(number) for number in range(3)])
    clean_batch(cleaner, [article(number) for number in range(3, 9)])
    assert spy.count(BurstTask) == 1
    published.model = cleaner._provisional.best("example.com", None)
    other = SiteEngine(spy, poison_settings, models=published)
    clean_batch(other, [article(number) for number in range(9, 15)])
    assert spy.count(BurstTask) == 1
    published.model = msgspec.structs.replace(published.model, documents=2)
    other = SiteEngine(spy, poison_settings, models=published)
    clean_batch(other, [article(number) for number in range(9, 15)])
    assert spy.count(BurstTask) == 2


def test_a_provisional_model_gives_way_to_one_that_knows_as_much(cleaner):
    clean_batch(cleaner, [article(number) for number in range(5)])
    provisional = cleaner._provisional.best("example.com", None)
    models = ProvisionalModels()

    def published(documents):
        return msgspec.structs.replace(provisional, version="p", documents=documents)

    models.keep(provisional)
    assert models.best("example.com", published(4)) == provisional
    assert models.best("example.com", published(5)).version == "p"
    assert models.best("example.com", None) is None
    models.keep(msgspec.structs.replace(provisional, documents=60))
    assert models.best("example.com", published(7)).documents == 60
    assert models.best("example.com", published(8)).version == "p"
    assert models.best("other.com", None) is None
