"""Pages from messages of the topic `pages`: raw bytes with headers, CloudEvents, or JSON records."""

import logging
import re
from collections.abc import Iterable, Mapping

import msgspec

from schemas.page import (
    CLOUD_EVENT_HEADERS,
    HEADER_CONTENT_ENCODING,
    HEADER_CONTENT_TYPE,
    HEADER_FETCHED_AT,
    HEADER_ID,
    HEADER_SITE,
    HEADER_STATUS,
    HEADER_URL,
)
from schemas.source import HEADER_SOURCE_ID, Source
from templ_core.patterns import pattern
from templ_core.site_key import site_key
from templ_core.times import parse_time_ms, rfc3339
from workers.feeds.records import clean_text, page_from_json
from workers.kafka.broker.received import Header, Received, RefusedValue
from workers.log_lines import record_fields
from workers.page import Page, Rejected
from workers.settings import DAY_MS, Settings

log = logging.getLogger("templ")
_OWN_HEADERS = frozenset(
    (
        HEADER_URL, HEADER_SITE, HEADER_FETCHED_AT, HEADER_CONTENT_TYPE, HEADER_CONTENT_ENCODING,
        HEADER_STATUS, HEADER_ID, HEADER_SOURCE_ID,
    )
)  # fmt: skip
"""Headers with a meaning to templ, which are not passed on."""
_OWN_PREFIXES = ("templ.", "__streams.errors.")
_LONE_SURROGATE = pattern("[\ud800-\udfff]")
"""Characters of names that cannot be sent."""
_URL_KEY = pattern(rb"https?://\S+", re.IGNORECASE)
_NAME_LIMIT_BYTES = {"url": 8 << 10, "site": 1 << 10, "id": 2 << 10}
"""Largest size of fields that are part of keys and of every output message."""


def page_of_message(message: Received, settings: Settings, now_ms: int) -> Page | Rejected:
    """Return the page in a message of `pages`, or the reason why there is none.

    An event time counts only up to the allowed clock skew after the record's timestamp, which producers set as
    they like, and up to as much after the present time of the worker's clock. Times of the past are taken as they
    are, so that an archive can be replayed.
    """
    record = _read(message, settings)
    latest_ms = min(message.timestamp_ms, now_ms) + settings.clock_skew_ms
    if isinstance(record, Page) and record.event_time_ms > latest_ms:
        ahead_days = (record.event_time_ms - latest_ms) / DAY_MS
        log.warning(
            "%s is dated %.1f days after this machine's clock: it counts as fetched now",
            record.source,
            ahead_days,
            extra=record_fields(message.source, message.headers, record.site),
        )
        record = msgspec.structs.replace(record, event_time_ms=latest_ms)
    if not isinstance(record, Page):
        return record
    headers, is_whole = passed_on(message.headers, settings.header_bytes_max)
    warnings = record.warnings if is_whole else (*record.warnings, "headers-dropped")
    fetched_at = record.fetched_at or rfc3339(message.timestamp_ms)
    record = msgspec.structs.replace(
        record, headers=headers, warnings=warnings, fetched_at=fetched_at
    )
    return _too_long(record, message) or record


def passed_on(headers: Iterable[Header], bytes_max: int) -> tuple[tuple[Header, ...], bool]:
    """Return the first headers of a page message that are passed on, and whether they are all that could be.

    Headers that templ reads or writes are not passed on, nor more than this number of bytes.
    """
    others = [
        (name, value)
        for name, value in headers
        if name.lower() not in _OWN_HEADERS
        and not name.startswith(_OWN_PREFIXES)
        and not _LONE_SURROGATE.search(name)
    ]
    room_bytes = bytes_max
    for number, (name, value) in enumerate(others):
        room_bytes -= len(name.encode()) + len(value or b"")
        if room_bytes < 0:
            return tuple(others[:number]), False
    return tuple(others), True


def _read(message: Received, settings: Settings) -> Page | Rejected:
    source = message.source
    arrival_ms = message.timestamp_ms
    headers = _text_headers(message.headers)
    url = headers.get(HEADER_URL)
    if isinstance(message.value, RefusedValue):
        return Rejected(
            source=source,
            url=url,
            exception=message.value.exception,
            message=message.value.message,
            value=message.value,
        )
    if not url and message.value is None and _URL_KEY.fullmatch(message.key or b""):
        url = clean_text((message.key or b"").decode("utf-8", "replace"))
    if url:
        return _raw_page(message, source, url, headers)
    if message.value and message.value.lstrip()[:1] == b"{":
        return page_from_json(
            message.value,
            source,
            default_id=str(source),
            event_time_ms=lambda said: _time_or(said, arrival_ms),
            limit_bytes=settings.page_limit_bytes,
        )
    return Rejected(
        source=source,
        url=None,
        exception="MissingUrl",
        message="a page message needs the header `url`, or a JSON record as its value",
        value=message.value or b"",
    )


def _too_long(page: Page, message: Received) -> Rejected | None:
    for name, limit_bytes in _NAME_LIMIT_BYTES.items():
        size_bytes = len((getattr(page, name) or "").encode())
        if size_bytes > limit_bytes:
            return Rejected(
                source=page.source,
                url=page.url if name != "url" else None,
                exception="FieldTooLong",
                message=f"{name} has {size_bytes} bytes, at most {limit_bytes} are allowed",
                value=message.value or b"",
            )
    return None


def _raw_page(message: Received, source: Source, url: str, headers: Mapping[str, str]) -> Page:
    said = headers.get(HEADER_FETCHED_AT)
    time_ms = parse_time_ms(said)
    return Page(
        source=source,
        url=url,
        site=headers.get(HEADER_SITE) or site_key(url),
        id=headers.get(HEADER_ID) or str(source),
        event_time_ms=message.timestamp_ms if time_ms is None else time_ms,
        fetched_at=None if time_ms is None else rfc3339(time_ms),
        warnings=("time-replaced",) if time_ms is None and said is not None else (),
        content_type=headers.get(HEADER_CONTENT_TYPE),
        content_encoding=headers.get(HEADER_CONTENT_ENCODING),
        status=_status(headers.get(HEADER_STATUS)),
        body=message.value,
    )


def _time_or(said: object, arrival_ms: int) -> int:
    time_ms = parse_time_ms(said)
    return arrival_ms if time_ms is None else time_ms


def _text_headers(headers: Iterable[Header]) -> dict[str, str]:
    """Return headers by lower-case name; those of CloudEvents stand in for missing ones of templ."""
    texts = {
        name.lower(): clean_text(value.decode("utf-8", "replace"))
        for name, value in headers
        if value is not None
    }
    for event_name, name in CLOUD_EVENT_HEADERS.items():
        if event_name in texts:
            texts.setdefault(name, texts[event_name])
    return texts


def _status(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) == 3 else 200
