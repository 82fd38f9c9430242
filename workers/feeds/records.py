"""Pages from JSON records: templ's own, crawl results of scrapy-cluster, and CloudEvents."""

import base64
import binascii
import html
import json
import re
from collections.abc import Callable
from typing import TypeVar

import msgspec

from schemas.page import CloudEventRecord, PageRecord, ScrapyClusterRecord
from schemas.source import Source
from templ_core.encodable import encodable
from templ_core.patterns import pattern
from templ_core.site_key import LOCAL, site_key
from templ_core.times import parse_time_ms, rfc3339
from workers.feeds.reading import INVALID_RECORD, PAGE_TOO_LARGE
from workers.page import GONE_STATUSES, Page, Rejected

_HEAD_BYTES = 1 << 18
"""Bytes at the beginning of a page that are searched."""
_LINK = pattern(rb"<link\b[^<>]*>", re.IGNORECASE)
_IS_CANONICAL = pattern(rb"\brel\s*=\s*[\"']?\s*canonical\b", re.IGNORECASE)
_HREF = pattern(rb"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)


def canonical_url(body: bytes) -> str | None:
    """Return the absolute HTTP address of `<link rel="canonical">`, or None.

    >>> canonical_url(b'<link rel="canonical" href="https://example.com/a?b=1&amp;c=2">')
    'https://example.com/a?b=1&c=2'
    >>> canonical_url(b'<link rel="canonical" href="/a">') is None
    True
    """
    for link in _LINK.finditer(body, 0, _HEAD_BYTES):
        address = _HREF.search(link[0]) if _IS_CANONICAL.search(link[0]) else None
        if address is not None:
            given = b"".join(filter(None, address.groups())).decode("utf-8", "replace")
            url = html.unescape(given).strip()
            if url.lower().startswith(("http://", "https://")) and site_key(url) != LOCAL:
                return url
    return None


_Record = TypeVar("_Record", PageRecord, ScrapyClusterRecord, CloudEventRecord)

NOT_JSON = "not JSON: "
"""Beginning of the message about a record that is no JSON."""
_STATUS_MAX = 9999
"""Largest status of a record; some crawlers have numbers of their own beside those of HTTP."""


class _RecordError(Exception):
    name = INVALID_RECORD


class _TooLargeError(_RecordError):
    name = PAGE_TOO_LARGE


def page_record(page: Page) -> PageRecord:
    """Return the record from which `page_from_json` reads a page, whose body is decompressed."""
    return PageRecord(
        url=page.url,
        html_base64=None if page.body is None else base64.b64encode(page.body).decode(),
        site=page.site,
        fetched_at=rfc3339(page.event_time_ms),
        content_type=page.content_type,
        charset=page.charset,
        status=page.status,
        id=page.id,
    )


def page_from_json(
    value: bytes,
    source: Source,
    *,
    default_id: str,
    event_time_ms: Callable[[object], int],
    time_field: str = "fetched_at",
    limit_bytes: int = 32 << 20,
) -> Page | Rejected:
    """Return the page in a JSON object, or the record with the reason why it is not a page.

    An object with `url` and `body` but neither `html` nor `html_base64` is a crawl result of scrapy-cluster.
    Its `body` is text, or base64 when it contains no `<` but decodes to bytes that do. An object with
    `specversion` is a CloudEvent in structured mode, whose `subject` is the URL.

    A record without an id has the default one. The function `event_time_ms` returns the event time for the value of
    the time field, which is None when the field is absent.
    """
    url: str | None = None
    try:
        raw = _json_object(value)
        if {"url", "body"} <= raw.keys() and not raw.keys() & {"html", "html_base64"}:
            record, body, charset = _scrapy_cluster(raw)
        elif "specversion" in raw and "url" not in raw:
            record, body, charset = _page_record(_cloud_event(raw))
        else:
            record, body, charset = _page_record(raw)
        url = clean_text(record.url)
        status = 200 if record.status is None else record.status
        _check(url, status, body, limit_bytes)
        site = clean_text(record.site) or site_key(url)
        if site == LOCAL and not record.site:
            url = clean_text(canonical_url(body or b"") or url)
            site = site_key(url)
        said = record.fetched_at
        time_ms = parse_time_ms(said)
        return Page(
            source=source,
            url=url,
            site=site,
            id=clean_text(record.id) or default_id,
            event_time_ms=event_time_ms(
                said if time_field == "fetched_at" else raw.get(time_field)
            ),
            fetched_at=None if time_ms is None else rfc3339(time_ms),
            warnings=("time-replaced",) if time_ms is None and said is not None else (),
            content_type=clean_text(record.content_type) or None,
            charset=clean_text(charset) or None,
            status=status,
            body=body,
        )
    except _RecordError as error:
        return Rejected(source, url, error.name, str(error), value)


def _check(url: str, status: int, body: bytes | None, limit_bytes: int) -> None:
    if not url:
        raise _RecordError("the record has an empty url")
    if abs(status) > _STATUS_MAX:
        raise _RecordError("status is not an HTTP status")
    if body is not None and len(body) > limit_bytes:
        raise _TooLargeError(f"{len(body)} bytes, at most {limit_bytes} are allowed")


def _json_object(value: bytes) -> dict[str, object]:
    try:
        raw = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:  # Python allows lone surrogates, a byte-order mark and NaN
            raw = json.loads(value)
        except UnicodeDecodeError as problem:
            raise _RecordError(
                f"{NOT_JSON}byte {problem.object[problem.start]:#04x} at position {problem.start} is not UTF-8; convert it, as "
                "by `iconv -f latin1 -t utf-8`"
            ) from None
        except (ValueError, RecursionError):
            raise _RecordError(f"{NOT_JSON}{error}") from None
    if not isinstance(raw, dict):
        names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
        raise _RecordError(f"not a JSON object but {names.get(type(raw), 'a number')}")
    return raw


def _converted(raw: dict[str, object], record_type: type[_Record], name: str) -> _Record:
    try:
        return msgspec.convert(raw, record_type)
    except msgspec.ValidationError as error:
        raise _RecordError(f"not a {name} record: {error}") from None
    except UnicodeEncodeError:
        raise _RecordError(f"not a {name} record: a field name has a lone surrogate") from None


def _page_record(raw: dict[str, object]) -> tuple[PageRecord, bytes | None, str | None]:
    record = _converted(raw, PageRecord, "page")
    if record.html is not None and record.html_base64 is not None:
        raise _RecordError("the record has both html and html_base64, but only one is allowed")
    if record.html is not None:
        return record, record.html.encode("utf-8", "replace"), "utf-8"
    if record.html_base64 is not None:
        return record, _from_base64(record.html_base64), record.charset
    if record.status in GONE_STATUSES:
        return record, None, None
    raise _RecordError("the record has neither html nor html_base64")


def _scrapy_cluster(raw: dict[str, object]) -> tuple[PageRecord, bytes | None, str | None]:
    """Return a crawl result as templ's record, the bytes of its page and their declared charset.

    The URL is that of the response after redirects.
    """
    result = _converted(raw, ScrapyClusterRecord, "scrapy-cluster")
    record = PageRecord(
        url=result.response_url or result.url,
        fetched_at=result.timestamp,
        content_type=_header(result.response_headers or {}, "content-type"),
        status=result.status_code,
    )
    if "<" not in result.body:
        try:
            body = _from_base64(result.body)
        except _RecordError:
            body = b""
        if b"<" in body:
            return record, body, result.encoding
    return record, result.body.encode("utf-8", "replace"), "utf-8"


def _cloud_event(raw: dict[str, object]) -> dict[str, object]:
    event = _converted(raw, CloudEventRecord, "CloudEvent")
    return {
        "url": event.subject,
        "html": event.data,
        "html_base64": event.data_base64,
        "fetched_at": event.time,
        "content_type": event.datacontenttype,
        "id": event.id,
    }


def _header(headers: dict[str, object], name: str) -> str | None:
    for key, value in headers.items():
        if key.lower() == name:
            first = value[0] if isinstance(value, list) and value else value
            return first if isinstance(first, str) else None
    return None


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _RecordError(f"html_base64 is not base64: {error}") from None


def clean_text(text: str | None) -> str:
    """Return text that can be encoded as UTF-8 and be part of a key; "" for None."""
    if not text:
        return ""
    return encodable(text.strip().replace("\0", ""))
