"""Records of `documents` that nobody of ours has written: stepped over, counted and named."""

import logging
from random import Random

import msgspec
import pytest

from schemas.codec import encode_msgpack
from schemas.document import document_key
from schemas.source import Source
from templ_core.times import EARLIEST_TIME_MS, LATEST_TIME_MS
from tests.workers.builders import document, packed
from tests.workers.kafka.builders import kafka_config, received
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import RefusedValue
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.partition_windows import PartitionWindows
from workers.processes.messages import LearnResult

MUTATIONS = 20_000
SITE = "example.com"


class Learner:
    """Stands in for the child processes: it learns from every body that can be decompressed."""

    def run(self, _site, _task, _deadline_s):
        return LearnResult(packed(b"\x01" * 8)), 1


@pytest.fixture
def windows(tmp_path):
    windows = PartitionWindows(kafka_config(tmp_path), Learner(), 0)
    yield windows
    windows.store.close()


def next_record(windows, value, key=None):
    key = document_key(SITE, Source("pages", 0, 0)) if key is None else key
    return received(offset=windows.store.next_offset, key=key, value=value)


def fields(number=0, **changed):
    return {**msgspec.to_builtins(document(number), builtin_types=(bytes,)), **changed}


def take(windows, value, key=None):
    message = next_record(windows, value, key)
    is_taken = windows.learn(SITE, message)
    assert windows.store.next_offset == message.offset + 1
    return is_taken


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (fields(event_time_ms=LATEST_TIME_MS + 1), "event_time_ms"),
        (fields(event_time_ms=EARLIEST_TIME_MS - 1), "event_time_ms"),
        (fields(event_time_ms=-(2**63)), "event_time_ms"),
        (fields(kind="deletion", event_time_ms=2**63 - 1, body=b""), "event_time_ms"),
        (fields(event_time_ms=2**64 - 1), "event_time_ms"),
        (fields(format=2), "knows only 1: upgrade it"),
        (fields(format=2**63), "knows only 1: upgrade it"),
        (fields(revision=2**64 - 1), "revision"),
        (fields(model_documents=-1), "model_documents"),
        (fields(site="other.com"), "its key"),
        (fields(number=8), "its key"),
        (fields(url=5), "url"),
        (fields(content_digest=b"", body=b"no frame"), "not a document"),
        ([], "DocumentRecord"),
        (RefusedValue(b"\x80", "RecordTooLarge", "a record of 9 bytes", 9), "a record of 9 bytes"),
    ],
)
def test_a_hostile_record_is_left_out_by_name(windows, caplog, value, reason):
    value = value if isinstance(value, bytes) else msgspec.msgpack.encode(value)
    caplog.set_level(logging.WARNING)
    assert take(windows, encode_msgpack(document(0)))
    assert not take(windows, value)
    assert [one.url for one in windows.store.window(SITE)] == ["https://example.com/0"]
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("document documents-0-1 is left out: ")
    assert reason in line


@pytest.mark.parametrize("key", [b"", b"\xff", b"example.com", b"\0", b"example.com\0\xff-0-0"])
@pytest.mark.parametrize("value", [None, b"", b"x"])
def test_any_key_is_stepped_over(windows, key, value):
    take(windows, value, key)
    assert take(windows, encode_msgpack(document(0)))


def test_random_documents_never_raise(windows):
    rng = Random(10)
    plain = fields()
    odd = [
        *(-1, 0, 2**31, 2**53, 2**63 - 1, 2**64 - 1, -(2**63), 0.5, float("nan"), None, True),
        *("", "\0", "x" * 70_000, "a\nb", b"", b"\xff" * 40, [], ["pages", 0, 0], {}, SITE),
    ]
    taken = 0
    for _ in range(MUTATIONS):
        value = dict(plain)
        for _ in range(rng.randrange(1, 3)):
            value[rng.choice([*plain, "x"])] = rng.choice(odd)
        packed_value = bytearray(msgspec.msgpack.encode(value))
        if rng.random() < 0.5:
            packed_value[rng.randrange(len(packed_value))] = rng.randrange(256)
        taken += take(windows, bytes(packed_value))
    assert 0 < taken < MUTATIONS
    assert take(windows, encode_msgpack(document(0, time_ms=LATEST_TIME_MS)))
    assert len(list(windows.store.window(SITE))) == 1


def test_a_record_in_the_partition_of_other_sites_counts_nowhere(windows, caplog):
    assert take(windows, encode_msgpack(document(0)))
    windows._misplaced = MisplacedRecords(4)  # `example.com` belongs to partition 1 of 4
    misplaced = next_record(windows, encode_msgpack(document(2)))
    assert not windows.learn(SITE, misplaced)
    assert take(windows, None)
    windows.learn(SITE, misplaced)  # it is read again
    assert [one.url for one in windows.store.window(SITE)] == ["https://example.com/0"]
    windows.note_log(LogSnapshot("a", 0, 3))
    assert caplog.text == ""  # the null value shows that the record was moved
    assert not take(windows, encode_msgpack(document(2)))
    windows.note_log(LogSnapshot("a", 0, 4))
    assert "documents-0-3, and maybe others, is left out" in caplog.text
