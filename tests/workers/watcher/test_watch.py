"""What the records of pages that come again, of copies and of changed sites say."""

import json

import msgspec
import pytest

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.source import Source
from tests.workers.builders import article as menu_article
from tests.workers.builders import page
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.watcher.file_watch import FileWatch
from workers.watcher.watch import CopyEnded, Watch
from workers.watcher.watch_store import WatchStore

MENU = "<ul><li>Home and more of the menu<li>About us and our friends</ul>"
URL = "https://example.com/story"
OBSERVED = Settings(observed=True)
DAY_MS = 24 * 3600 * 1000


def time(number):
    return f"2026-03-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"


def story(number, event="Nobody was hurt on that day.", **fields):
    said = f"The council met on Monday. {event} The bridge stays closed until May. "
    body = f"{MENU}<h1>Bridge closed</h1><p>{said}<p>{said.replace('The', 'A')}"
    given = {"url": URL, "fetched_at": time(number), "event_time_ms": number, **fields}
    return page(number, body.encode(), **given)


def article(number, charset="utf-8", **fields):
    text = f"<p>Article {number} says this of {number * 7}, and then that. " * 5
    body = f"<h1>Article {number}</h1><div>{text}</div>".encode(charset)
    given = {"fetched_at": time(number), **fields}
    return page(number, body, content_type=f"text/html; charset={charset}", **given)


def articles(count, start=0, **fields):
    return [article(number, **fields) for number in range(start, start + count)]


@pytest.fixture
def cleaned(poison_pool):
    """The records of pages as `templ run --observed` writes them, revisions included."""
    stream = LearningCleaner(LocalState(None, OBSERVED), poison_pool, OBSERVED, revises=True)

    def clean(pages):
        outcomes = []
        for seen in pages:
            outcome, following = stream.process(seen)
            outcomes += [outcome.record, *following]
        return outcomes

    return clean


@pytest.fixture
def watch():
    with_copies = FileWatch(None, OBSERVED, finds_copies=True)
    yield with_copies
    with_copies.close()


@pytest.fixture
def noticed(cleaned, watch):
    return lambda pages: [watch.take(one) for one in cleaned(pages)]


@pytest.fixture
def events_of(noticed):
    return lambda pages: [event for one in noticed(pages) for event in one.events]


def test_a_page_that_comes_again_is_compared_with_the_fetch_before(noticed):
    first, second, third = noticed([story(0), story(1, "Two were hurt."), story(2)])
    assert first.changes is None
    assert (second.changes.degree, second.changes.since) == ("major", time(0))
    assert second.changes.added == ["Two were hurt."]
    assert second.changes.removed == ["Nobody was hurt on that day."]
    assert third.changes.removed == ["Two were hurt."]


@pytest.mark.parametrize(
    "late",
    [
        {"fetched_at": "2025-12-01T00:00:00Z"},
        {"url": URL + "/another"},
        {"status": 500},
    ],
    ids=["older", "other page", "error page"],
)
def test_only_a_later_fetch_of_the_page_is_compared(noticed, late):
    _, second = noticed([story(5), story(6, "Two were hurt.", **late)])
    assert second.changes is None


def test_text_that_the_page_showed_before_is_not_new(cleaned, watch):
    first, second = cleaned([story(0), story(1)])
    said = "Readers write to us on every day"
    left_out = [*first.observed.left_out, said]
    first = msgspec.structs.replace(
        first, observed=msgspec.structs.replace(first.observed, left_out=left_out)
    )
    second = msgspec.structs.replace(second, text=f"{second.text}\n{said}")
    watch.take(first)
    assert watch.take(second).changes.degree == "none"


def test_a_revision_is_no_fetch_and_its_text_is_compared_with_the_next(cleaned, watch):
    first, second = cleaned([story(0), story(1)])
    revised = msgspec.structs.replace(
        first, revision=1, text=f"{first.text}\nRevised words are here."
    )
    watch.take(first)
    assert watch.take(revised).changes is None
    changes = watch.take(second).changes
    assert changes.removed == ["Revised words are here."]


def shop_page(number, offer):
    data = {"@type": "Product", "name": f"Lamp {number}", "offers": {"@type": "Offer", **offer}}
    text = f"<p>This lamp number {number} shines in the dark and in the day, as lamps do. " * 4
    price = f"<p class=price>{offer['price']} EUR"
    html = f"<script type='application/ld+json'>{json.dumps(data)}</script><h1>Lamp {number}</h1>{price}{text}"
    return html.encode()


def test_price_and_stock_are_compared_on_15_products(noticed):
    before = {"price": "9.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    after = {**before, "price": "7.50", "availability": "https://schema.org/OutOfStock"}
    pages = [
        page(turn * 15 + number, shop_page(number, offer), url=f"https://example.com/lamp/{number}",
             fetched_at=time(turn * 15 + number))
        for turn, offer in enumerate((before, after))
        for number in range(15)
    ]  # fmt: skip
    changes = [one.changes for one in noticed(pages)[15:]]
    assert [one.degree for one in changes] == ["major"] * 15
    fields = [{each.name: (each.before, each.after) for each in one.fields} for one in changes]
    assert (
        fields
        == [{"price": (["9.90 EUR"], ["7.50 EUR"]), "availability": (["InStock"], ["OutOfStock"])}]
        * 15
    )


def test_a_change_of_charset_is_one_event(events_of):
    assert events_of(articles(15)) == []
    (event,) = events_of(articles(15, 15, charset="utf-16"))
    assert (event.event, event.before, event.after) == ("charset-changed", "utf-8", "utf-16le")
    assert (event.site, event.schema) == ("example.com", "site-event/1")
    assert event.last_url == "https://example.com/14"
    assert event.first_url == "https://example.com/15"
    assert event.time.startswith("2026-03-01T00:")


def test_a_change_of_design_is_one_event_with_the_pages_beside_it(events_of):
    settings = FeedSettings(genre="news", sites=1, pages=60, seed=3, redesign_day=14)
    feed = [one for one in simulate_feed(settings) if one.page_role == "article"]
    first_new = next(number for number, one in enumerate(feed) if one.design)
    (event,) = events_of(
        page(n, one.html.encode(), url=one.url, fetched_at=time(n)) for n, one in enumerate(feed)
    )
    assert event.event == "design-changed"
    assert event.first_url == feed[first_new].url
    assert event.last_url == feed[first_new - 1].url


def test_a_site_that_others_outlast_is_silent(events_of, watch):
    events_of(articles(30))
    events_of([article(1, site="other.org", fetched_at="2026-03-20T00:00:00Z")])
    (event,) = watch.silent_sites()
    assert (event.site, event.event, event.first_url) == ("example.com", "feed-silent", None)
    assert watch.silent_sites() == []
    (back,) = events_of([article(99, fetched_at="2026-03-21T00:00:00Z")])
    assert (back.event, back.first_url) == ("site-back", "https://example.com/99")


def test_a_page_that_came_again_does_not_repeat_itself(events_of):
    events_of(articles(20))
    again = [article(number % 3, fetched_at=time(20 + number)) for number in range(30)]
    assert events_of(again) == []


def test_what_is_observed_is_sure(cleaned):
    text = "<p>The council met on Monday, and it said that the bridge stays open. " * 9
    pages = [
        page(0, f"<html lang=en><h1>Bridge</h1>{text}".encode()),
        page(
            1, f"<h1>Bridge</h1>{text}".encode("utf-16"), content_type="text/html; charset=utf-16"
        ),
    ]
    declared, guessed = (one.observed for one in cleaned(pages) if not one.revision)
    assert (declared.language, declared.charset) == ("en", "utf-8")
    assert (guessed.language, guessed.charset) == (None, "utf-16le")
    assert declared.repeated_ratio is None


def test_it_is_observed_how_much_an_article_repeats(cleaned):
    declared = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'

    def ratio(number, *parts):
        words = [f"word{each * 100 + place}" for each in parts for place in range(60)]
        texts = "".join(f"<p>{' '.join(words[at : at + 30])}." for at in range(0, len(words), 30))
        html = (
            f"{declared}<body class=single-post><h1 class=entry-title>Bridge {number}</h1>{texts}"
        )
        return cleaned([page(number, html.encode())])[0].observed.repeated_ratio

    first, _, _, own = ratio(0, 0, 9), ratio(1, 1, 9), ratio(2, 2), ratio(3, 3)
    assert first is None
    assert own < 0.1 < 0.4 < ratio(4, 4, 9) < 0.6


def test_records_have_what_was_observed_only_where_it_was_asked_for(poison_pool):
    plain = LearningCleaner(LocalState(None, Settings()), poison_pool, Settings())
    record = plain.process(article(0))[0].record
    assert b"observed" not in msgspec.json.encode(record)


LONG = " ".join(f"word{number}" for number in range(80))


def text_of(site, path, number, text=LONG, revision=0):
    """A record of a page that has only a text."""
    from tests.workers.builders import cleaned_text

    record = cleaned_text(site, path, text)
    return msgspec.structs.replace(record, source=Source("pages", 0, number), revision=revision)


@pytest.fixture
def store():
    new_store = WatchStore(None, OBSERVED.window)
    yield new_store
    new_store.close()


def test_the_content_of_an_earlier_time_is_the_original_whatever_comes_first(store):
    watch = Watch(store, ContentIndex(None, 100))
    assert watch.take(text_of("late.org", "a", 1), 200)[0].original is None
    assert watch.take(text_of("first.org", "a", 2), 100)[0].original is None
    original = watch.take(text_of("third.org", "a", 3), 300)[0].original
    assert (original.site, original.url) == ("first.org", "https://first.org/a")


def test_a_copy_that_is_changed_or_gone_is_told_to_be_none_any_more(cleaned, watch):
    own, copied = cleaned([menu_article(0, site="a.org"), menu_article(0, site="b.org")])
    own, copied = (
        msgspec.structs.replace(one, text=LONG, fingerprint=text_of("a", "b", 0).fingerprint)
        for one in (own, copied)
    )
    watch.take(own)
    reported = watch.take(copied)
    (copy,) = reported.records(copied)[:1]
    assert (copy.url, copy.duplicate_of, copy.duplicate_of_site) == (copied.url, own.url, "a.org")
    other = msgspec.structs.replace(
        copied, source=Source("pages", 0, 9), text=LONG[::-1], fetched_at=time(9),
        fingerprint=text_of("a", "b", 0, LONG[::-1]).fingerprint,
    )  # fmt: skip
    records = watch.take(other).records(other)
    assert CopyEnded(url=copied.url, site="b.org") in records


def test_a_copy_that_has_left_the_window_is_told_when_its_original_becomes_known(cleaned):
    bounds = msgspec.structs.replace(OBSERVED.window, pages_max=1)
    store, contents = WatchStore(None, bounds), ContentIndex(None, 100)
    watch = Watch(store, contents)

    def take(number, site, path, text=LONG):
        own = msgspec.structs.replace(
            cleaned([menu_article(number, site=site)])[0], url=f"https://{site}/{path}", text=text,
            fetched_at=time(number), source=Source("pages", 0, number),
            fingerprint=text_of("a", "b", 0, text).fingerprint,
        )  # fmt: skip
        noticed, change = watch.take(own, 100 - number)
        store.apply(change)
        return own, noticed.records(own)

    copied, _ = take(0, "b.org", "copy")
    take(1, "b.org", "later", LONG[::-1])
    assert [one.url for one in store.pages("b.org")] == ["https://b.org/later"]
    original, _ = take(2, "a.org", "first")
    (due,) = contents.due()
    (reported,), change = watch.judge_again(due.page)
    store.apply(change)
    assert (reported.url, reported.duplicate_of) == (copied.url, original.url)
    assert (reported.fetched_at, reported.source) == (copied.fetched_at, copied.source)
    contents.settle([due])
    # It is fetched again with another text, and says so although the window does not know it.
    _, records = take(0, "b.org", "copy", LONG[5:])
    assert CopyEnded(url=copied.url, site="b.org") not in records  # a near text is the same content
    _, records = take(3, "b.org", "copy", LONG[::-2] * 2)
    assert CopyEnded(url=copied.url, site="b.org") in records
    gone = DeletedRecord(url=original.url, site="", id="x", source=Source("pages", 0, 9))
    records, change = watch.delete(gone)
    assert CopyEnded(url=original.url, site="a.org") in records


def test_a_site_whose_pages_are_mostly_copies_is_told_once(cleaned, watch):
    own = cleaned([menu_article(number, site="a.org") for number in range(30)])
    copied = cleaned([menu_article(number, site="b.org") for number in range(30)])
    texts = [f"{LONG} {number} ".replace("word", f"w{number}") for number in range(30)]
    events = []
    for records in (own, copied):
        first = [one for one in records if not one.revision]
        for record, text in zip(first, texts, strict=True):
            key = text_of("a", "b", 0, text).fingerprint
            events += watch.take(msgspec.structs.replace(record, text=text, fingerprint=key)).events
    (event,) = (one for one in events if one.event == "content-copied")
    assert (event.site, event.before, event.after) == ("b.org", None, "a.org")


def test_what_is_told_depends_on_the_records_alone(tmp_path, cleaned):
    """A watch that goes on with its store says what one says that was never interrupted."""
    pages = [*articles(15), *articles(15, 15, charset="utf-16"), story(31), story(32, "It is 1.")]
    records = cleaned(pages)
    whole, parts = [], []
    file_watch = FileWatch(tmp_path / "whole", OBSERVED, finds_copies=True)
    for record in records:
        whole += file_watch.take(record).records(record)
    file_watch.close()
    for record in records:
        part = FileWatch(tmp_path / "parts", OBSERVED, finds_copies=True)
        parts += part.take(record).records(record)
        part.close()
    assert parts == whole
    assert {type(one).__name__ for one in whole} >= {"PageChangeRecord", "SiteEventRecord"}


def test_what_is_remembered_is_bounded_as_windows_are(cleaned):
    bounds = Settings(window_pages_max=10, window_newest_pages=10, window_floor_pages=5).window
    store = WatchStore(None, bounds)
    watch = Watch(store, None)
    for record in cleaned(articles(40)):
        _, change = watch.take(record)
        store.apply(change)
    kept = [one.url for one in store.pages("example.com")]
    assert sorted(kept) == sorted(f"https://example.com/{number}" for number in range(30, 40))
    families = store._db._families
    assert len(families["places"]) == len(families["fetches"]) == 10
    store.close()


def test_a_site_that_is_taken_down_and_a_page_that_is_gone_leave_nothing(cleaned):
    store = WatchStore(None, OBSERVED.window)
    watch = Watch(store, ContentIndex(None, 100))
    records = cleaned([*articles(3), *articles(3, site="other.org")])
    for record in records:
        store.apply(watch.take(record, 0)[1])
    gone = DeletedRecord(url="https://other.org/1", site="", id="x", source=Source("pages", 0, 9))
    store.apply(watch.delete(gone)[1])
    assert [one.url for one in store.pages("other.org")] == [
        "https://other.org/0",
        "https://other.org/2",
    ]
    assert store.erase("example.com")
    kept = [key for entries in store._db._families.values() for key in entries]
    assert not any(b"example.com" in key for key in kept)
    assert not store.erase("example.com")
    assert [site for site, _ in store.sites()] == ["other.org"]
    assert isinstance(records[0], CleanedRecord)
