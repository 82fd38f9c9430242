"""A record becomes a page or a rejected record, whatever its bytes and its times are."""

import base64
import json
import re
from random import Random

import msgspec
import pytest

from schemas.source import Source
from templ_core.dom.decode.decode_page import decode_page
from templ_core.times import FIRST_TIME_MS, parse_time_ms
from workers.feeds.reading import Reading
from workers.feeds.records import page_from_json
from workers.page import Page, Rejected

SOURCE = Source("pages", 3, 7)
URL = "https://www.example.com/a"


def read(value, **options):
    if isinstance(value, dict):
        value = json.dumps(value).encode()
    return page_from_json(
        value,
        SOURCE,
        default_id="pages-3-7",
        event_time_ms=lambda said: parse_time_ms(said) or 0,
        **options,
    )


def test_a_record_with_required_fields_only():
    assert read({"url": URL, "html": "<p>x</p>"}) == Page(
        source=SOURCE, url=URL, site="example.com", id="pages-3-7", event_time_ms=0,
        fetched_at=None, charset="utf-8", body=b"<p>x</p>",
    )  # fmt: skip


def test_a_record_with_all_fields():
    record = {
        "url": URL,
        "html_base64": base64.b64encode(b"\xff\0").decode(),
        "site": "a-site",
        "fetched_at": "2024-01-01",
        "content_type": "text/html",
        "charset": "gbk",
        "status": 404,
        "id": "x1",
        "unknown": {"a": 1},
    }
    assert read(record) == Page(
        source=SOURCE, url=URL, site="a-site", id="x1", event_time_ms=1_704_067_200_000,
        fetched_at="2024-01-01T00:00:00Z", content_type="text/html", charset="gbk", status=404,
        body=b"\xff\0",
    )  # fmt: skip


def test_empty_fields_count_as_absent():
    page = read({"url": URL, "html": "", "site": " ", "id": "", "fetched_at": ""})
    assert (page.site, page.id, page.fetched_at, page.body) == (
        "example.com", "pages-3-7", None, b"",
    )  # fmt: skip


def test_the_time_field_can_be_any_field():
    record = {"url": URL, "html": "x", "fetched_at": 5, "arrival": "2024-01-01T00:00:00Z"}
    page = read(record, time_field="arrival")
    assert (page.event_time_ms, page.fetched_at) == (1_704_067_200_000, "1970-01-01T00:00:05Z")
    assert read(record, time_field="absent").event_time_ms == 0


def test_html_given_as_text_ignores_the_declared_charset():
    html = '<meta charset="iso-8859-1"><p>caf\xe9 …</p>'
    page = read({"url": URL, "html": html, "content_type": "text/html; charset=koi8-r"})
    decoded = decode_page(
        page.body,
        content_type=page.content_type,
        charset=page.charset,
        content_encoding=page.content_encoding,
        limit_bytes=1000,
    )
    assert decoded.text == html


def test_lone_surrogates_are_replaced():
    page = read(
        b'{"url": "https://example.com/\\ud800", "html": "<p>a\\udc00b \\ud83d\\ude00</p>"}'
    )
    assert page.body.decode() == "<p>a?b \U0001f600</p>"
    page.url.encode()


def test_a_deletion_needs_no_page():
    page = read({"url": URL, "status": 410})
    assert page.body is None
    assert page.is_deletion


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object but an array"),
        (b"null", "not a JSON object but null"),
        ({"html": "x"}, "`url`"),
        ({"url": 5, "html": "x"}, r"\$\.url"),
        ({"url": "  ", "html": "x"}, "empty url"),
        ({"url": URL}, "neither html nor html_base64"),
        ({"url": URL, "html": "x", "html_base64": "eA=="}, "both html and html_base64"),
        ({"url": URL, "html_base64": "!!"}, "not base64"),
        ({"url": URL, "html_base64": "é"}, "not base64"),
        ({"url": URL, "html": "x", "status": "ok"}, r"\$\.status"),
        ({"url": URL, "body": 5}, "scrapy-cluster"),
        (
            {"uri": URL, "body": "<p>Words"},
            "not a page record: Object missing required field `url`",
        ),
        (b'{"url":"https://a.example/a","html":"<p>Words","\\ud800":1}', "lone surrogate"),
        (b'{"url":"https://a.example/a","body":"<p>Words","\\ud800":1}', "lone surrogate"),
    ],
)
def test_an_invalid_record_is_rejected_with_its_bytes(record, message):
    value = json.dumps(record).encode() if isinstance(record, dict) else record
    rejected = read(value)
    assert isinstance(rejected, Rejected)
    assert rejected.exception == "InvalidRecord"
    assert rejected.value == value
    assert rejected.source == SOURCE
    assert re.search(message, rejected.message)


def test_a_page_over_the_limit_is_rejected_as_too_large():
    assert isinstance(read({"url": URL, "html": "x" * 10}, limit_bytes=10), Page)
    rejected = read({"url": URL, "html": "é" * 6}, limit_bytes=10)
    assert (rejected.exception, rejected.url) == ("PageTooLarge", URL)
    assert "12 bytes" in rejected.message


def test_a_crawl_result_of_scrapy_cluster_is_a_page():
    record = {
        "url": "http://example.com/from",
        "response_url": URL,
        "body": "<p>café</p>",
        "status_code": 200,
        "timestamp": "2024-01-01T00:00:00",
        "encoding": "iso-8859-1",
        "response_headers": {"Content-Type": ["text/html; charset=iso-8859-1"]},
        "crawlid": "c1",
        "appid": "a1",
    }
    page = read(record)
    assert (page.url, page.site, page.id) == (URL, "example.com", "pages-3-7")
    assert (page.body, page.charset) == ("<p>café</p>".encode(), "utf-8")
    assert (page.event_time_ms, page.fetched_at) == (1_704_067_200_000, "2024-01-01T00:00:00Z")
    assert page.content_type == "text/html; charset=iso-8859-1"
    body = base64.b64encode("<p>café</p>".encode("latin-1")).decode()
    page = read({**record, "body": body})
    assert (page.body, page.charset) == ("<p>café</p>".encode("latin-1"), "iso-8859-1")
    assert read({**record, "body": "deadbeef"}).body == b"deadbeef"


def test_a_cloud_event_in_structured_mode_is_a_page():
    event = {
        "specversion": "1.0",
        "id": "e1",
        "source": "//crawler/7",
        "type": "page.fetched",
        "subject": URL,
        "time": "2024-01-01T00:00:00Z",
        "datacontenttype": "text/html; charset=iso-8859-1",
        "data_base64": base64.b64encode("<p>café</p>".encode("latin-1")).decode(),
    }
    page = read(event)
    assert (page.url, page.id, page.body) == (URL, "e1", "<p>café</p>".encode("latin-1"))
    assert (page.event_time_ms, page.content_type) == (
        1_704_067_200_000,
        "text/html; charset=iso-8859-1",
    )
    del event["data_base64"]
    assert read({**event, "data": "<p>café</p>"}).body == "<p>café</p>".encode()
    assert "neither html nor html_base64" in read(event).message
    del event["subject"]
    assert "not a CloudEvent record" in read(event).message


NEW_YEAR_2024 = 1_704_067_200_000
READABLE = dict.fromkeys(
    [
        "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01t00:00:00z",
        "2024-01-01T01:30:00+01:30", "2024-01-01 00:00:00", "2024-01-01T00:00", "2024-01-01",
        " 2024-01-01T00:00:00.000Z ", 1_704_067_200, 1_704_067_200.0, 1_704_067_200_000,
        "1704067200", "1704067200.0", "1704067200000",
    ],
    NEW_YEAR_2024,
) | {
    "2024-01-01T00:00:00.123456789Z": NEW_YEAR_2024 + 123,
    1_704_067_200.25: NEW_YEAR_2024 + 250,
    "1969-12-31T23:59:59.5Z": -500,
    100_000_000_000: 100_000_000_000_000,
    100_000_000_001: 100_000_000_001,
}  # fmt: skip


@pytest.mark.parametrize(("value", "time_ms"), READABLE.items(), ids=repr)
def test_readable_times(value, time_ms):
    assert parse_time_ms(value) == time_ms


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
        source=Source("f", 0, 0), url="u", site="s", id="i", event_time_ms=event_time_ms,
        fetched_at=None, body=b"",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("timeline", "values", "times_ms"),
    [
        (
            Reading(),
            [None, "2024-01-01", "soon", 1_704_067_201, None],
            [
                FIRST_TIME_MS,
                NEW_YEAR_2024,
                NEW_YEAR_2024,
                NEW_YEAR_2024 + 1000,
                NEW_YEAR_2024 + 1000,
            ],
        ),
        (
            Reading(latest_ms=NEW_YEAR_2024),
            ["2024-01-01", "2100-01-01", None],
            [NEW_YEAR_2024] * 3,
        ),
        (
            Reading(),
            ["2024-01-01", "2023-12-31T23:59:59Z"],
            [NEW_YEAR_2024, NEW_YEAR_2024 - 1000],
        ),
    ],
    ids=["that of the page before", "the latest that is allowed", "its own"],
)
def test_a_page_has_a_time(timeline, values, times_ms):
    times = []
    for value in values:
        times.append(timeline.event_time_ms(value))
        timeline.passed(page(times[-1]))
    assert times == times_ms


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
    timeline = Reading(time_field=time_field)
    times = []
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
        times.append(type(record))
    assert min(times.count(Page), times.count(Rejected)) > RECORDS // 10
