"""Times: read from whatever a crawler writes, and written as RFC 3339."""

import math
from datetime import UTC, datetime, timedelta

from templ_core.patterns import pattern

EARLIEST_TIME_MS = -62_135_596_800_000
"""The first moment of the year 1 in Unix milliseconds."""
LATEST_TIME_MS = 253_402_300_799_999
"""The last moment of the year 9999 in Unix milliseconds."""

FIRST_TIME_MS = 946_684_800_000
"""Time of a first page without a time, 2000-01-01T00:00Z."""

SPACING_MS = 60_000
"""Distance of event times that are set because none are to be read."""
_LARGEST_SECONDS = 1e11
"""Largest number that counts as seconds, which is in the year 5138; larger ones are milliseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = pattern(r"[+-]?\d{1,18}(?:\.\d{1,18})?")


def parse_time_ms(value: object) -> int | None:
    """Return the Unix milliseconds of a time in a record, or None when it cannot be read.

    A time may be RFC 3339 or ISO 8601, where a missing zone means UTC and a date alone means its
    midnight, or a date as HTTP headers and mails have it. It may also be Unix seconds or
    milliseconds, as a number or as digits in a string; numbers above 1e11 are milliseconds.

    >>> parse_time_ms("2024-01-01T00:00:00Z"), parse_time_ms("1704067200")
    (1704067200000, 1704067200000)
    >>> parse_time_ms("Mon, 01 Jan 2024 00:00:00 GMT")
    1704067200000
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
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
        from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few feeds need it, and it imports much

        return parsedate_to_datetime(text)


def rfc3339(time_ms: int) -> str:
    """Return Unix milliseconds as RFC 3339 writes a time in UTC; the years 1 to 9999 bound it.

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
