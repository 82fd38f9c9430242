"""What changes on a site as a whole, from its pages to the records that tell it."""

import msgspec
import pytest

from schemas.codec import encode_msgpack
from schemas.site_event import SiteEventRecord
from tests.workers.builders import page
from tests.workers.memory_transport import MemoryTransport
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.local.local_state import LocalState
from workers.local.runner import Stream
from workers.pipeline.site_engine import SiteEngine
from workers.settings import Settings
from workers.state.window_store import WindowStore

WATCHED = Settings(site_events=True)
DAY_MS = 24 * 3600 * 1000


def article(number, charset="utf-8", **fields):
    story = f"<p>Article {number} says this of {number * 7}, and then that. " * 5
    body = f"<h1>Article {number}</h1><div>{story}</div>".encode(charset)
    return page(number, body, content_type=f"text/html; charset={charset}", **fields)


def articles(count, start=0, **fields):
    return [article(number, **fields) for number in range(start, start + count)]


@pytest.fixture
def stream(poison_pool):
    return Stream(LocalState(None, WATCHED), poison_pool, WATCHED)


@pytest.fixture
def told(stream):
    def learn(pages):
        following = [one for each in pages for one in stream.process(each)[1]]
        return [one for one in following if isinstance(one, SiteEventRecord)]

    return learn


@pytest.fixture
def documents(poison_pool):
    cleaner = SiteEngine(poison_pool, WATCHED)
    return lambda pages: [cleaner.clean(one).document for one in pages]


def test_a_change_of_charset_is_one_event(told):
    assert told(articles(15)) == []
    (event,) = told(articles(15, 15, charset="utf-16"))
    assert (event.event, event.before, event.after) == ("charset-changed", "utf-8", "utf-16le")
    assert (event.site, event.schema) == ("example.com", "site-event/1")
    assert event.last_url == "https://example.com/14"
    assert event.first_url == "https://example.com/15"
    assert event.time.startswith("1970-01-01T00:")


def test_a_change_of_design_is_one_event_with_the_pages_beside_it(told):
    settings = FeedSettings(genre="news", sites=1, pages=60, seed=3, redesign_day=14)
    feed = [one for one in simulate_feed(settings) if one.page_role == "article"]
    first_new = next(number for number, one in enumerate(feed) if one.design)
    (event,) = told(page(n, one.html.encode(), url=one.url) for n, one in enumerate(feed))
    assert event.event == "design-changed"
    assert event.first_url == feed[first_new].url
    assert event.last_url == feed[first_new - 1].url


def test_a_site_that_others_outlast_is_silent(stream, told):
    told(articles(30))
    told([article(1, site="other.org", event_time_ms=20 * DAY_MS)])
    (event,) = stream.silent_sites()
    assert (event.site, event.event, event.first_url) == ("example.com", "feed-silent", None)
    assert stream.silent_sites() == []
    (back,) = told([article(99, event_time_ms=21 * DAY_MS)])
    assert (back.event, back.first_url) == ("site-back", "https://example.com/99")


def test_nobody_watches_unless_that_is_asked_for(poison_pool):
    settings = Settings()
    state = LocalState(None, settings)
    files = Stream(state, poison_pool, settings)
    outcomes = [files.process(one) for one in articles(3)]
    assert all(one.document.facts is None for one, _ in outcomes)
    assert b"facts" not in encode_msgpack(outcomes[0][0].document)
    assert b"watch" not in msgspec.msgpack.encode(state.windows.site_state("example.com"))
    assert files.silent_sites() == []


def test_events_that_were_not_published_are_told_after_a_crash(tmp_path, poison_pool, documents):
    learned = documents([*articles(15), *articles(15, 15, charset="utf-16")])
    path = tmp_path / "w"
    store = WindowStore(path, WATCHED)
    for one in learned:
        SiteEngine(poison_pool, WATCHED, windows=store).learn(one, store.next_offset)
    store.close()
    store = WindowStore(path, WATCHED)
    transport = MemoryTransport(store, poison_pool, WATCHED)
    transport.carry_out(transport.engine.silent_sites())
    (event,) = transport.sent
    assert event.event == "charset-changed"
    assert transport.engine.site_events("example.com") == []
    store.close()


def test_a_document_that_is_read_again_is_looked_at_once(tmp_path, poison_pool, documents):
    store = WindowStore(tmp_path / "w", WATCHED)
    engine = SiteEngine(poison_pool, WATCHED, windows=store)
    (one,) = documents([article(0)])
    for offset in (0, 0, 1):
        engine.learn(one, offset)
    assert store.site_state("example.com").watch.pages == 1
    store.close()


def test_a_page_that_came_again_does_not_repeat_itself(told, stream):
    told(articles(20))
    again = [article(number % 3, event_time_ms=(20 + number) * 60_000) for number in range(30)]
    assert told(again) == []


def test_the_watch_reads_what_is_sure(documents):
    story = "<p>The council met on Monday, and it said that the bridge stays open. " * 9
    pages = [
        page(0, f"<html lang=en><h1>Bridge</h1>{story}".encode()),
        page(
            1, f"<h1>Bridge</h1>{story}".encode("utf-16"), content_type="text/html; charset=utf-16"
        ),
    ]
    declared, guessed = (one.facts for one in documents(pages))
    assert (declared.language, declared.charset) == ("en", "utf-8")
    assert (guessed.language, guessed.charset) == (None, "utf-16le")
    assert declared.words == guessed.words > 100
    assert declared.repeated_ratio is None


def test_the_watch_reads_how_much_an_article_repeats(stream):
    declared = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'

    def ratio(number, *told):
        words = [f"word{each * 100 + place}" for each in told for place in range(60)]
        texts = "".join(f"<p>{' '.join(words[at : at + 30])}." for at in range(0, len(words), 30))
        html = (
            f"{declared}<body class=single-post><h1 class=entry-title>Bridge {number}</h1>{texts}"
        )
        return stream.process(page(number, html.encode()))[0].document.facts.repeated_ratio

    first, _, _, own = ratio(0, 0, 9), ratio(1, 1, 9), ratio(2, 2), ratio(3, 3)
    assert first is None
    assert own < 0.1 < 0.4 < ratio(4, 4, 9) < 0.6
