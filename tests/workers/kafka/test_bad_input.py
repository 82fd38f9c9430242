"""Feeds that say odd things about time and site: what teaches, and what a window holds afterwards."""

import msgspec
import pytest

from schemas.page import HEADER_FETCHED_AT
from schemas.source import Source
from templ_core.page_level.model.model_file import shipped_model
from tests.workers.kafka.builders import received
from workers.feeds.records import page_from_json
from workers.kafka.broker.page_message import page_of_message
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.page import Page, Rejected
from workers.settings import DAY_MS, load_settings

NOW_MS = 1_800_000_000_000
YEAR_MS = 365 * DAY_MS
MENU = (
    "<nav><ul><li><a href=/>Home and more</a><li><a href=/about>About us and friends</a></ul></nav>"
)


@pytest.fixture
def state():
    return LocalState(None, load_settings())


@pytest.fixture
def stream(state):
    return LearningCleaner(state, InProcess(shipped_model()), load_settings())


def page(number, time_ms=NOW_MS, **fields):
    """A page as a feed says it."""
    record = {
        "url": f"https://example.com/{number}",
        "html": f"{MENU}<h1>Page {number}</h1>" + f"<p>Article {number} says this, and more. " * 4,
        **fields,
    }
    source = Source("feed", 0, number)
    page = page_from_json(
        msgspec.json.encode(record), source, default_id=str(source), event_time_ms=lambda _: time_ms
    )
    assert isinstance(page, Page)
    return page


def process(stream, *pages):
    return [stream.process(page)[0].record for page in pages]


def window(state, site="example.com"):
    return [one.url.rpartition("/")[2] for one in state.windows.window_entries(site)]


def test_a_page_ten_years_old_is_cleaned_and_leaves_the_window_as_it_is(stream, state):
    recent = [page(number, NOW_MS + number) for number in range(4)]
    *_, old = process(stream, *recent, page(9, NOW_MS - 10 * YEAR_MS))
    assert "Article 9" in old.text
    assert window(state) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("site", ["", " ", None])
def test_an_empty_site_is_the_one_of_the_address(stream, state, site):
    (record,) = process(stream, page(1, site=site))
    assert record.site == "example.com"
    assert window(state) == ["1"]


def test_a_site_key_of_10_kb_is_a_site_like_any_other(stream, state):
    name = "s" * 10_000
    records = process(stream, *(page(number, NOW_MS + number, site=name) for number in range(9)))
    assert window(state, name) == [str(number) for number in range(9)]
    assert "About us" not in records[-1].text


def test_a_page_whose_site_changes_teaches_both(stream, state):
    """A feed that names its sites otherwise from some day on: the old window ages by itself."""
    process(stream, *(page(number, NOW_MS + number) for number in range(3)))
    again = [page(number, NOW_MS + 10 + number, site="renamed") for number in range(3)]
    records = process(stream, *again)
    assert window(state) == window(state, "renamed") == ["0", "1", "2"]
    assert {record.site for record in records} == {"renamed"}


def page_message(value=b"<p>Words of a page.", **headers):
    """A message of the topic `pages`, which came at NOW_MS."""
    pairs = tuple({"url": b"https://example.com/1", **headers}.items())
    return received("pages", offset=1, value=value, headers=pairs, timestamp_ms=NOW_MS)


@pytest.mark.parametrize(
    ("fetched_at", "event_time_ms"),
    [
        (b"", NOW_MS),
        (b"2999-01-01T00:00:00Z", NOW_MS + load_settings().clock_skew_ms),
        (b"2017-01-15T08:00:00Z", NOW_MS - 3652 * DAY_MS),
    ],
)
def test_the_time_of_a_page_is_what_it_says_or_when_it_came(fetched_at, event_time_ms):
    page = page_of_message(page_message(**{HEADER_FETCHED_AT: fetched_at}), load_settings(), NOW_MS)
    assert page.event_time_ms == event_time_ms


@pytest.mark.parametrize("name", ["site", "id", "url"])
def test_names_too_long_for_keys_are_dead_letters_by_name(name):
    page = page_of_message(
        page_message(**{name: b"https://example.com/" + b"x" * 10_000}), load_settings(), NOW_MS
    )
    assert isinstance(page, Rejected)
    assert page.exception == "FieldTooLong"
    assert name in page.message


@pytest.mark.parametrize("value", [b"<p>Words.", b'{"url": "https://a.org/", "html": "<p>Words."}'])
def test_a_record_dated_ahead_of_the_clock_is_new_and_named_in_the_log(value, caplog):
    ahead = msgspec.structs.replace(page_message(value), timestamp_ms=NOW_MS + 400 * DAY_MS)
    if value.startswith(b"{"):
        ahead = msgspec.structs.replace(ahead, headers=())
    page = page_of_message(ahead, load_settings(), NOW_MS)
    assert page.event_time_ms == NOW_MS + load_settings().clock_skew_ms
    assert caplog.messages == [
        "pages-0-1 is dated 400.0 days after this machine's clock: it counts as fetched now"
    ]


def test_a_record_within_the_skew_keeps_its_time(caplog):
    """So that a page that is delivered again has the time that it had before."""
    skew_ms = load_settings().clock_skew_ms
    ahead = msgspec.structs.replace(page_message(), timestamp_ms=NOW_MS + skew_ms)
    page = page_of_message(ahead, load_settings(), NOW_MS)
    assert page.event_time_ms == NOW_MS + skew_ms
    assert caplog.messages == []
