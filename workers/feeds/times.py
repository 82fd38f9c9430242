"""Event times: what records say, and what stands in where they say nothing."""

import math
import re
from datetime import UTC, datetime, timedelta

from workers.page import Page

NO_TIME_FIELD = "none"
"""Name of the time field that no record has: the pages are spaced one minute apart."""

FIRST_TIME_MS = 946_684_800_000
"""2000-01-01T00:00Z: the time of the first page where nothing says another."""

_SPACING_MS = 60_000
_LARGEST_SECONDS = 1e11
"""Numbers above are milliseconds: this many seconds is the year 5138."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST_MS = -62_135_596_800_000  # year 1
_LATEST_MS = 253_402_300_799_999  # year 9999
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?")


def parse_time_ms(value: object) -> int | None:
    """Unix milliseconds of a time as records say it; None where it cannot be read.

    Read are RFC 3339 and ISO 8601 (without a zone: UTC; a date alone: its midnight), Unix seconds,
    and Unix milliseconds (every number above 1e11), as a number or as digits in a string.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _from_number(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _from_number(float(text) if "." in text else int(text))
    try:
        moment = datetime.fromisoformat(text.upper())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None


def _from_number(value: float) -> int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    time_ms = int(value) if abs(value) > _LARGEST_SECONDS else round(value * 1000)
    return time_ms if _EARLIEST_MS <= time_ms <= _LATEST_MS else None


class Timeline:
    """Times for the pages that say none: that of the page before, or one minute after it.

    Args:
        time_field: Name of the field that holds the event time; `none` = ignore what records say.
        latest_ms: Later times are taken for this one: a page dated 2100 must not make all others
            of its site old.
    """

    def __init__(self, time_field: str, latest_ms: int = _LATEST_MS) -> None:
        self.time_field = time_field
        self._latest_ms = latest_ms
        self.next_ms = FIRST_TIME_MS
        """What the next page gets if it says nothing."""

    def event_time_ms(self, value: object) -> int:
        """Time of a page whose time field holds `value`."""
        if self.time_field == NO_TIME_FIELD:
            return self.next_ms
        time_ms = parse_time_ms(value)
        return self.next_ms if time_ms is None else min(time_ms, self._latest_ms)

    def passed(self, page: Page) -> None:
        """Notes that a page went by."""
        is_spaced = self.time_field == NO_TIME_FIELD
        self.next_ms = page.event_time_ms + (_SPACING_MS if is_spaced else 0)
