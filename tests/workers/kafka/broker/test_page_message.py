"""Reading a page message never raises, whatever its value and headers are."""

from random import Random

import msgspec
import pytest

from schemas.page import CLOUD_EVENT_HEADERS
from tests.workers.feeds.test_random_records import NAMES, TEXTS, random_record
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.received import Received
from workers.page import Page, Rejected
from workers.settings import load_settings

MESSAGES = 20_000
HEADER_NAMES = [*NAMES, *CLOUD_EVENT_HEADERS, "URL", "content-encoding", "fetched-at"]
NOW_MS = 1_800_000_000_000
SETTINGS = load_settings()


def random_message(rng):
    headers = tuple(
        (rng.choice(HEADER_NAMES), rng.choice([None, _bytes(rng)])) for _ in range(rng.randrange(6))
    )
    return Received(
        topic="pages",
        partition=0,
        offset=7,
        timestamp_ms=rng.choice([0, 1_800_000_000_000, 2**63 - 1]),
        key=rng.choice([None, b"", b"\xff"]),
        value=rng.choice([None, b"", b"{", b"\n" * 9, _bytes(rng), random_record(rng)]),
        headers=headers,
    )


def _bytes(rng):
    return rng.choice([rng.choice(TEXTS).encode("utf-8", "surrogatepass"), rng.randbytes(9)])


def test_random_messages_are_pages_or_rejected():
    rng = Random(4)
    settings = load_settings()
    found = []
    for _ in range(MESSAGES):
        message = random_message(rng)
        record = page_of_message(message, settings, NOW_MS)
        assert len(msgspec.msgpack.encode(record)) > 0  # every field can be sent
        found.append(type(record))
    assert min(found.count(Page), found.count(Rejected)) > MESSAGES // 20


def message(value=b"<p>Text", key=None, **headers):
    return Received(
        topic="pages",
        partition=0,
        offset=7,
        timestamp_ms=1_700_000_000_500,
        key=key,
        value=value,
        headers=tuple((name.replace("_", "-"), text) for name, text in headers.items()),
    )


@pytest.mark.parametrize(
    ("said", "fetched_at", "warnings"),
    [
        (b"2023-01-02T03:04:05+01:00", "2023-01-02T02:04:05Z", ()),
        (b"1600000000", "2020-09-13T12:26:40Z", ()),
        (b"1600000000123", "2020-09-13T12:26:40.123Z", ()),
        (b"Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", ()),
        (b"Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z", ()),
        (b"Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z", ()),
        (b"yesterday", "2023-11-14T22:13:20.500Z", ("time-replaced",)),
        (b"", "2023-11-14T22:13:20.500Z", ("time-replaced",)),
        (None, "2023-11-14T22:13:20.500Z", ()),
    ],
)
def test_the_time_of_a_fetch_is_rfc_3339_or_the_timestamp_of_the_record(said, fetched_at, warnings):
    page = page_of_message(message(url=b"https://a.example/", fetched_at=said), SETTINGS, NOW_MS)
    assert (page.fetched_at, page.warnings) == (fetched_at, warnings)
    json = b'{"url": "https://a.example/", "html": "x"'
    if said is not None:
        json += b', "fetched_at": "%s"' % said
    page = page_of_message(message(json + b"}"), SETTINGS, NOW_MS)
    assert (page.fetched_at, page.warnings) == (fetched_at, warnings)


def test_other_headers_are_passed_on():
    headers = {"url": b"https://a.example/", "status": b"200", "trace": b"\xff", "none": None}
    for value in (b"<p>Text", b'{"url": "https://a.example/", "html": "x"}'):
        page = page_of_message(message(value, **headers), SETTINGS, NOW_MS)
        assert page.headers == (("trace", b"\xff"), ("none", None))
        assert page.warnings == ()


def test_headers_beyond_the_limit_are_dropped_with_a_warning():
    settings = load_settings(header_bytes_max=10)
    headers = {"url": b"https://a.example/", "a": b"1" * 8, "b": b"2", "c": b""}
    page = page_of_message(message(**headers), settings, NOW_MS)
    assert page.headers == (("a", b"1" * 8),)
    assert page.warnings == ("headers-dropped",)


def test_a_null_value_under_a_url_is_a_deletion():
    page = page_of_message(message(None, key=b"https://a.example/x"), SETTINGS, NOW_MS)
    assert page.is_deletion
    assert (page.url, page.site) == ("https://a.example/x", "a.example")
    assert isinstance(page_of_message(message(None, key=b"a.example"), SETTINGS, NOW_MS), Rejected)
    assert isinstance(
        page_of_message(message(b"x", key=b"https://a.b/"), SETTINGS, NOW_MS), Rejected
    )
