"""Reading a record never raises, whatever its bytes are: the result is a page or a rejected record."""

import base64
import json
from random import Random

import msgspec
import pytest

from schemas.source import Source
from workers.feeds.records import page_from_json
from workers.feeds.times import Timeline
from workers.page import Page, Rejected

RECORDS = 20_000
HTML = "<p>Words of a page, and more of them.</p>"
NAMES = [
    "url", "html", "html_base64", "site", "fetched_at", "content_type", "charset", "status", "id",
    "body", "response_url", "status_code", "timestamp", "encoding", "response_headers", "crawlid",
    "appid", "x", "", "\ud800", "a\0b", "content-type",
]  # fmt: skip
TEXTS = [
    "https://example.com/a", "http://[::1", "http://\u2100.com", "//", "data:x", "http://a:99999/",
    "", " ", "\0", "\ud800", "\udfff\ud800", "\U0001f600", "a" * 5000, "\x1b[31m\n\r\u2028",
    HTML, base64.b64encode(HTML.encode()).decode(), "!!", "eA", "é", "utf-8", "koi8-r", "rot13",
    "2024-01-01", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59+99:99", "1e999", "-" * 9, "9" * 30,
]  # fmt: skip
NUMBERS = [0, -1, 200, 404, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 0.5, -0.0, 1e308]
CONSTANTS = [True, False, None, float("nan"), float("inf"), float("-inf")]


def random_value(rng, depth=0):
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(TEXTS)
    if kind < 0.75:
        return rng.choice(NUMBERS)
    if kind < 0.85 or depth == 3:
        return rng.choice(CONSTANTS)
    if kind < 0.92:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(3))]
    return {rng.choice(NAMES): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def random_record(rng):
    fields = {"url": "https://example.com/a", rng.choice(["html", "html_base64", "body"]): HTML}
    for _ in range(rng.randrange(6)):
        fields[rng.choice(NAMES)] = random_value(rng)
    if rng.random() < 0.1:
        fields.pop("url", None)
    value = json.dumps(fields, ensure_ascii=rng.random() < 0.7).encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        damaged = bytearray(value)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        value = bytes(damaged)
    return value[: rng.randrange(len(value))] if rng.random() < 0.05 else value


@pytest.mark.parametrize("time_field", ["fetched_at", "x"])
def test_random_records_are_pages_or_rejected(time_field):
    rng = Random(15)
    source = Source("pages", 0, 0)
    timeline = Timeline(time_field)
    found = []
    for _ in range(RECORDS // 2):
        value = random_record(rng)
        record = page_from_json(
            value,
            source,
            default_id="pages-0-0",
            event_time_ms=timeline.event_time_ms,
            time_field=time_field,
        )
        if isinstance(record, Rejected):
            assert record.value == value
        else:
            timeline.passed(record)
        assert len(msgspec.msgpack.encode(record)) > 0  # every field can be sent
        found.append(type(record))
    assert min(found.count(Page), found.count(Rejected)) > RECORDS // 10


@pytest.mark.parametrize("field", ["html", "body"])
def test_a_lone_surrogate_in_a_field_name_makes_a_rejected_record(field):
    value = b'{"url":"https://example.com/a","%s":"<p>Words","\\ud800":1}' % field.encode()
    record = page_from_json(
        value, Source("pages", 0, 0), default_id="pages-0-0", event_time_ms=lambda _: 0
    )
    assert isinstance(record, Rejected)
    assert (record.exception, record.value) == ("InvalidRecord", value)
    assert "lone surrogate" in record.message
