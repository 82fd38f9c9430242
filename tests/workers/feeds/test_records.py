import base64
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.source import Source
from templ_core.dom.decode.decode_page import decode_page
from templ_core.site_cleaner.fetch_times import parse_time_ms
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
        source=SOURCE,
        url=URL,
        site="example.com",
        id="pages-3-7",
        event_time_ms=0,
        fetched_at=None,
        charset="utf-8",
        body=b"<p>x</p>",
    )


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
        source=SOURCE,
        url=URL,
        site="a-site",
        id="x1",
        event_time_ms=1_704_067_200_000,
        fetched_at="2024-01-01T00:00:00Z",
        content_type="text/html",
        charset="gbk",
        status=404,
        body=b"\xff\0",
    )


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


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_FIELDS = ["url", "html", "html_base64", "body", "site", "id", "status", "fetched_at", "charset"]


@given(st.dictionaries(st.sampled_from(_FIELDS), _JSON | st.just(URL)) | st.binary())
def test_any_value_is_a_page_or_rejected(value):
    assert isinstance(read(value), (Page, Rejected))
