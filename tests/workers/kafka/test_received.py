"""Records that faust has skipped are read, and no others."""

import asyncio
import logging
from random import Random

import msgspec
import pytest
from aiokafka.errors import GroupCoordinatorNotAvailableError, KafkaConnectionError

from schemas.page import CLOUD_EVENT_HEADERS
from tests.workers.feeds.test_records import NAMES, TEXTS, random_record
from tests.workers.kafka.builders import received
from workers.kafka.broker.library_logs import (
    RepeatedMessageFilter,
    is_problem,
    without_expected_traceback,
)
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.received import OffsetGapFiller
from workers.page import Page, Rejected
from workers.settings import load_settings


def record(offset, partition=0):
    return received("pages", partition=partition, offset=offset)


class MadeUpBroker(OffsetGapFiller):
    """A gap filler whose broker has some records, of a partition that was assigned."""

    def __init__(self, committed=0, there=range(1000)):
        super().__init__("127.0.0.1:1")
        self.begin(0, committed, is_other_log=False)
        self.there = there

    async def _read(self, before, start):
        return [record(offset) for offset in range(start, before.offset) if offset in self.there]


def taken(filler, *offsets):
    records = asyncio.run(filler.complete([record(offset) for offset in offsets]))
    return [one.offset for one in records]


@pytest.mark.parametrize(
    ("broker", "batches", "found"),
    [
        ({}, [[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]]),
        ({}, [[0, 1], [4, 5]], [[0, 1], [2, 3, 4, 5]]),
        ({"committed": 7}, [[9]], [[7, 8, 9]]),  # the first record follows the committed offset
        ({"committed": 9}, [[9]], [[9]]),
        ({}, [[0, 1, 2, 3], [1, 2, 3, 4]], [[0, 1, 2, 3], [1, 2, 3, 4]]),  # a replay is no gap
        ({"there": {0, 5}}, [[0, 5, 9]], [[0, 5, 9]]),  # compaction has removed the others
    ],
)
def test_missing_records_are_inserted_in_their_place(broker, batches, found):
    filler = MadeUpBroker(**broker)
    assert [taken(filler, *offsets) for offsets in batches] == found


@pytest.mark.parametrize(
    ("offset", "is_other_log", "later", "found"),
    [
        (60, False, 62, [60, 61, 62]),  # others have read on
        (40, False, 44, [42, 43, 44]),  # not all that this process has had in hand was committed
        (1, True, 3, [1, 2, 3]),
    ],
)
def test_a_partition_that_comes_back_begins_where_its_log_goes_on(
    offset, is_other_log, later, found
):
    filler = MadeUpBroker()
    taken(filler, *range(42))
    filler.begin(0, offset, is_other_log=is_other_log)
    assert taken(filler, later) == found


def log_record(name, message, *arguments):
    return logging.LogRecord(name, logging.ERROR, "", 0, message, arguments, None)


def test_repeated_messages_of_libraries_are_dropped_and_our_own_are_not():
    now = [0.0]
    repeats = RepeatedMessageFilter(30, lambda: now[0])
    unable = log_record("aiokafka.client", "Unable connect to node %s", 1)
    assert [repeats.filter(unable) for _ in range(3)] == [True, False, False]
    assert repeats.filter(log_record("aiokafka.client", "something else"))
    assert all(repeats.filter(log_record("templ", "ours")) for _ in range(3))
    now[0] = 31.0
    assert repeats.filter(unable)


def test_what_a_library_calls_an_error_and_is_none_is_not_logged():
    failed = "Group Coordinator Request failed: %s"
    service = "workers.kafka.patches"
    assert not is_problem(log_record("aiokafka", failed, GroupCoordinatorNotAvailableError()))
    assert is_problem(log_record("aiokafka", failed, KafkaConnectionError("away")))
    assert not is_problem(log_record(service, "[^--X]: Thread keepalive is not responding..."))
    assert not is_problem(
        log_record("aiokafka", "Heartbeat failed for group %s because it is rebalancing", "g")
    )
    assert is_problem(log_record("aiokafka", "Unable connect to node with id %s: %s", 1, OSError()))
    assert is_problem(log_record("templ", "the group waits because it is rebalancing"))


def test_a_broker_that_is_away_has_no_traceback_and_a_fault_has():
    for error, is_kept in ((KafkaConnectionError("away"), False), (ValueError("fault"), True)):
        line_record = log_record("mode.worker", "Error: %r", error)
        line_record.exc_info = type(error), error, None
        assert without_expected_traceback(line_record)
        assert bool(line_record.exc_info) == is_kept


MESSAGES = 20_000
HEADER_NAMES = [*NAMES, *CLOUD_EVENT_HEADERS, "URL", "content-encoding", "fetched-at"]
NOW_MS = 1_800_000_000_000
SETTINGS = load_settings()


def random_message(rng):
    headers = tuple(
        (rng.choice(HEADER_NAMES), rng.choice([None, _bytes(rng)])) for _ in range(rng.randrange(6))
    )
    return received(
        "pages",
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
    received = []
    for _ in range(MESSAGES):
        message = random_message(rng)
        record = page_of_message(message, settings, NOW_MS)
        assert len(msgspec.msgpack.encode(record)) > 0  # every field can be sent
        received.append(type(record))
    assert min(received.count(Page), received.count(Rejected)) > MESSAGES // 20


def message(value=b"<p>Text", key=None, **headers):
    pairs = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return received(
        "pages", offset=7, timestamp_ms=1_700_000_000_500, key=key, value=value, headers=pairs
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
