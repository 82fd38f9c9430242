import pytest

from schemas.source import Source
from templ_core.site_cleaner.fetch_times import FIRST_TIME_MS, parse_time_ms
from workers.feeds.times import NO_TIME_FIELD, Timeline
from workers.page import Page

NEW_YEAR_2024 = 1_704_067_200_000


@pytest.mark.parametrize(
    "value",
    [
        "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01t00:00:00z",
        "2024-01-01T01:30:00+01:30", "2024-01-01 00:00:00", "2024-01-01T00:00", "2024-01-01",
        " 2024-01-01T00:00:00.000Z ", 1_704_067_200, 1_704_067_200.0, 1_704_067_200_000,
        "1704067200", "1704067200.0", "1704067200000",
    ],
    ids=repr,
)  # fmt: skip
def test_readable_times(value):
    assert parse_time_ms(value) == NEW_YEAR_2024


def test_fractions_of_seconds():
    assert parse_time_ms("2024-01-01T00:00:00.123456789Z") == NEW_YEAR_2024 + 123
    assert parse_time_ms(1_704_067_200.25) == NEW_YEAR_2024 + 250
    assert parse_time_ms("1969-12-31T23:59:59.5Z") == -500


def test_large_numbers_are_milliseconds():
    assert parse_time_ms(100_000_000_000) == 100_000_000_000_000
    assert parse_time_ms(100_000_000_001) == 100_000_000_001


@pytest.mark.parametrize(
    "value",
    [
        None, "", "yesterday", "2024-13-01", True, [], {}, float("nan"), float("inf"), 1e300,
        10**30, "9" * 400, "1e9", "0001-01-01T00:00:00+99:00", "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_unreadable_times(value):
    assert parse_time_ms(value) is None


def page(event_time_ms):
    return Page(
        source=Source("f", 0, 0),
        url="u",
        site="s",
        id="i",
        event_time_ms=event_time_ms,
        fetched_at=None,
        body=b"",
    )


def times(timeline, values):
    found = []
    for value in values:
        found.append(timeline.event_time_ms(value))
        timeline.passed(page(found[-1]))
    return found


def test_a_page_without_a_time_has_the_time_of_the_page_before():
    found = times(Timeline("fetched_at"), [None, "2024-01-01", "soon", 1_704_067_201, None])
    assert found == [
        FIRST_TIME_MS, NEW_YEAR_2024, NEW_YEAR_2024, NEW_YEAR_2024 + 1000, NEW_YEAR_2024 + 1000,
    ]  # fmt: skip


def test_a_time_in_the_future_counts_as_the_latest_allowed_time():
    timeline = Timeline("fetched_at", latest_ms=NEW_YEAR_2024)
    assert times(timeline, ["2100-01-01", None, "2023-12-31T23:59:59Z"]) == [
        NEW_YEAR_2024,
        NEW_YEAR_2024,
        NEW_YEAR_2024 - 1000,
    ]


def test_without_a_time_field_pages_are_one_minute_apart():
    found = times(Timeline(NO_TIME_FIELD), ["2024-01-01", None, 5])
    assert found == [FIRST_TIME_MS, FIRST_TIME_MS + 60_000, FIRST_TIME_MS + 120_000]
