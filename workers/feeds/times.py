"""Event times from records, and times for records that have none."""

import math
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from schemas.document import EARLIEST_TIME_MS, LATEST_TIME_MS
from workers.page import Page

NO_TIME_FIELD = "none"
"""Name of a time field for which event times are set one minute apart."""

FIRST_TIME_MS = 946_684_800_000
"""Time of a first page without a time, 2000-01-01T00:00Z."""

_SPACING_MS = 60_000
"""Distance of event times that are set because none are to be read."""
_LARGEST_SECONDS = 1e11
"""Largest number that counts as seconds, which is in the year 5138; larger ones are milliseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?")


def parse_time_ms(value: object) -> int | None:
    """Return the Unix milliseconds of a time in a record, or None when it cannot be read.

    A time may be RFC 3339 or ISO 8601, where a missing zone means UTC and a date alone means its
    midnight, or a date as HTTP headers and mails have it. It may also be Unix seconds or
    milliseconds, as a number or as digits in a string; numbers above 1e11 are milliseconds.

    Examples:
        >>> parse_time_ms("2024-01-01T00:00:00Z")
        1704067200000
        >>> parse_time_ms("1704067200")
        1704067200000
        >>> parse_time_ms("Mon, 01 Jan 2024 00:00:00 GMT")
        1704067200000
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
        moment = _http_date(text) if text[:3].isalpha() else datetime.fromisoformat(text.upper())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return _in_range((moment - _EPOCH) // timedelta(milliseconds=1))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _http_date(text: str) -> datetime:
    """Return the time of a date of HTTP (RFC 9110, section 5.6.7), all three forms of it.

    Raises:
        ValueError: The text is no such date.
        TypeError: A part of it is missing.
    """
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007 - it is in UTC
    except ValueError:
        return parsedate_to_datetime(text)


def rfc3339(time_ms: int) -> str:
    """Return a time as RFC 3339 writes it, in UTC.

    Args:
        time_ms: Unix milliseconds; times before the year 1 and after the year 9999 count as its first
            and its last moment.

    Examples:
        >>> rfc3339(1704067200000), rfc3339(1704067200123)
        ('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.123Z')
    """
    time_ms = min(max(time_ms, EARLIEST_TIME_MS), LATEST_TIME_MS)
    moment = _EPOCH + timedelta(milliseconds=time_ms)
    precision = "milliseconds" if time_ms % 1000 else "seconds"
    return moment.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


def _from_number(value: float) -> int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    time_ms = int(value) if abs(value) > _LARGEST_SECONDS else round(value * 1000)
    return _in_range(time_ms)


def _in_range(time_ms: int) -> int | None:
    return time_ms if EARLIEST_TIME_MS <= time_ms <= LATEST_TIME_MS else None


class Timeline:
    """The event times of a sequence of pages.

    A page without a time gets the time of the page before it. Where the records' times are to be
    ignored, each page gets a time one minute after the page before it.
    """

    def __init__(self, time_field: str, latest_ms: int = LATEST_TIME_MS) -> None:
        """Start before the first page.

        Args:
            time_field: Name of the field that holds the event time; `none` ignores the records'
                times.
            latest_ms: Times later than this count as this one, so that a page dated 2100 does not
                make all other pages of its site old.
        """
        self.time_field = time_field
        self._latest_ms = latest_ms
        self.next_ms = FIRST_TIME_MS
        """Event time of the next page if it has none."""

    def event_time_ms(self, value: object) -> int:
        """Return the event time of a page whose time field holds `value`."""
        if self.time_field == NO_TIME_FIELD:
            return self.next_ms
        time_ms = parse_time_ms(value)
        return self.next_ms if time_ms is None else min(time_ms, self._latest_ms)

    def passed(self, page: Page) -> None:
        """Move on to the page after `page`."""
        is_spaced = self.time_field == NO_TIME_FIELD
        self.next_ms = page.event_time_ms + (_SPACING_MS if is_spaced else 0)
