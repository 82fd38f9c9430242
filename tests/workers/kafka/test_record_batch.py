"""A batch of records gives all that can be read of it, in bounded memory, and never raises."""

import struct
import tracemalloc
from random import Random

import pytest
from aiokafka.record.default_records import DefaultRecordBatch
from aiokafka.record.util import calc_crc32c
from aiokafka.structs import TopicPartition

from tests.workers.raw_batches import (
    GZIP,
    HEAD_BYTES,
    LZ4,
    NONE,
    NOW_MS,
    SNAPPY,
    ZSTD,
    Zeros,
    batch,
    compressed,
    raw_snappy,
    record_pieces,
    varint,
)
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.received import KEPT_BYTES, RefusedValue, received_from_aiokafka
from workers.kafka.logs.fetched import EMPTY_TAILS
from workers.kafka.patches import BoundedResult, FetchedRecords, RecordBatch, WatchedRecords
from workers.page import Page, Rejected
from workers.settings import load_settings

CODECS = [NONE, GZIP, SNAPPY, LZ4, ZSTD]
LIMIT_BYTES = 8 << 20
URL = (b"url", b"https://example.com/a")
GOOD = (b"key", b"<p>Words of a page.", [URL, (b"status", None)])
MUTATIONS = 20_000


CHECKSUM_AT, LAST_OFFSET_AT = 17, 23
"""Where in a batch its checksum and the distance of its last offset are."""


def read(raw, limit_bytes=LIMIT_BYTES):
    return list(RecordBatch(raw, limit_bytes))


def fetched(*batches, offset=0):
    """The records of several batches as aiokafka's consumer gives them out."""
    return list(partition_records(batches, offset))


def partition_records(batches, offset):
    records = FetchedRecords(b"".join(batches))
    return WatchedRecords(TopicPartition("pages", 0), records, None, offset, None, None, True, 0)


@pytest.mark.parametrize("codec", CODECS)
def test_records_are_those_that_aiokafka_reads(codec):
    records = [
        GOOD,
        (None, None, []),
        (b"", b"", [(b"a", b""), (b"a", b"twice"), ("ü".encode(), b"\xff")]),
        *((b"k%d" % n, Random(n).randbytes(n * 400) * 3, [URL]) for n in range(300)),
    ]
    raw = batch(records, codec, base_offset=77)
    theirs, ours = DefaultRecordBatch(raw), RecordBatch(raw, LIMIT_BYTES)
    assert ours.validate_crc()
    assert (ours.base_offset, ours.next_offset) == (theirs.base_offset, theirs.next_offset)
    fields = ("offset", "timestamp", "timestamp_type", "key", "value", "headers", "checksum")
    assert [[getattr(one, name) for name in fields] for one in ours] == [
        [getattr(one, name) for name in fields] for one in theirs
    ]


def test_snappy_without_frames_is_read():
    content = b"".join(record_pieces(0, *GOOD))
    (record,) = read(batch([GOOD], SNAPPY, stored=raw_snappy(content)))
    assert record.value == GOOD[1]


@pytest.mark.parametrize("codec", [NONE, ZSTD])
def test_a_header_name_that_is_not_utf_8_refuses_its_record_only(codec):
    odd = (b"key", b"<p>Words", [URL, (b"\xff\xfename", b"x")])
    records = fetched(batch([GOOD, odd, GOOD], codec), batch([GOOD], base_offset=3))
    assert [one.offset for one in records] == [0, 1, 2, 3]
    pages = [
        page_of_message(received_from_aiokafka(one), load_settings(), NOW_MS) for one in records
    ]
    assert [type(one) for one in pages] == [Page, Rejected, Page, Page]
    assert (pages[1].exception, pages[1].url) == ("InvalidHeader", "https://example.com/a")
    assert pages[1].value == b"<p>Words"
    assert pages[1].message == r"the header name \xff\xfename is not UTF-8"
    assert all(name.encode() for name, _ in records[1].headers)


@pytest.mark.parametrize(
    ("codec", "size"),
    [(GZIP, 64 << 20), (SNAPPY, 64 << 20), (LZ4, 64 << 20), (ZSTD, 1 << 30)],
    ids=["gzip", "snappy", "lz4", "zstd"],
)
def test_a_record_that_is_too_large_is_refused_in_bounded_memory(codec, size):
    raw = batch([GOOD, (b"key", Zeros(size), [URL]), GOOD], codec)
    tracemalloc.start()
    records = fetched(raw)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 4 * len(raw) + (32 << 20)
    first, large, last = records
    assert first.value == last.value == GOOD[1]
    page = page_of_message(received_from_aiokafka(large), load_settings(), NOW_MS)
    assert (page.exception, page.url) == ("RecordTooLarge", "https://example.com/a")
    assert page.value == bytes(KEPT_BYTES)
    assert large.value.size_bytes == size
    assert (large.timestamp, large.key) == (NOW_MS, b"key")


def test_a_batch_is_not_decompressed_for_ever():
    raw = batch([GOOD, (b"key", Zeros(3 << 30), [URL]), GOOD], ZSTD)
    good, *refused = read(raw)
    assert good.value == GOOD[1]
    assert [one.offset for one in refused] == [1, 2]
    assert {one.value.exception for one in refused} == {"DamagedBatch"}
    assert "holds too much" in refused[0].value.message


class Assignment:
    """A consumer's place in a partition."""

    active = True
    paused = False
    position = 0

    def state_value(self, _tp):
        return self

    def consumed_to(self, position):
        self.position = position


def takes(raw):
    """The offsets of the records that a consumer is given at once, for each time that it asks."""
    topic = TopicPartition("pages", 0)
    records = partition_records([raw], 0)
    place = Assignment()
    result = BoundedResult(topic, assignment=place, partition_records=records, backoff=0)
    peaks = []
    while result.has_more():
        peaks.append([one.offset for one in result.getall(32)])
    assert place.position == sum(map(len, peaks))
    return [take for take in peaks if take]


def test_a_consumer_is_given_a_bounded_number_of_bytes_at_once():
    taken = takes(batch([(b"key", Zeros(LIMIT_BYTES // 2), [URL])] * 100, ZSTD))
    assert max(map(len, taken)) == 8
    assert [offset for take in taken for offset in take] == list(range(100))


def test_a_consumer_is_given_one_refused_record_at_once():
    large = (b"key", Zeros(65 << 20), [URL])
    assert takes(batch([GOOD, GOOD, large, large, GOOD], ZSTD)) == [[0, 1, 2], [3], [4]]


@pytest.mark.parametrize("codec", CODECS)
def test_damaged_content_never_raises_and_accounts_for_every_offset(codec):
    rng = Random(codec)
    records = [(b"k%d" % n, b"<p>Words of page %d. " % n * 9, [URL]) for n in range(12)]
    good = compressed((b for n, one in enumerate(records) for b in record_pieces(n, *one)), codec)
    refused = 0
    for _ in range(MUTATIONS // len(CODECS)):
        stored = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            stored[rng.randrange(len(stored))] = rng.randrange(256)
        stored = stored[: rng.randrange(len(stored))] if rng.random() < 0.1 else stored
        received = read(batch(records, codec, stored=bytes(stored)))
        offsets = [one.offset for one in received]
        assert offsets == sorted(set(offsets))
        assert not offsets or offsets[-1] == len(records) - 1 or len(received) == len(records)
        refused += any(isinstance(one.value, RefusedValue) for one in received)
    assert refused > MUTATIONS // len(CODECS) // 10


def test_a_snappy_block_that_lies_about_its_size_is_refused():
    (record,) = read(batch([GOOD], SNAPPY, stored=b"\xff\xff\xff\xff\x0f" + b"\0" * 9))
    assert "says it holds 4294967295" in record.value.message


def test_a_size_beyond_all_memory_refuses_its_record():
    key_size = b"\xfe" + b"\xff" * 8 + b"\x7f"
    stored = varint(60) + b"\0" + varint(0) + varint(0) + key_size + b"words " * 9
    (record,) = read(batch([GOOD], stored=stored))
    assert isinstance(record.value, RefusedValue)


def test_a_batch_of_an_unknown_compression_is_refused():
    assert {one.value.exception for one in read(batch([GOOD] * 3, 6, stored=b"x"))} == {
        "DamagedBatch"
    }


def test_the_head_of_a_batch_is_as_long_as_aiokafka_says():
    assert len(batch([], stored=b"")) == HEAD_BYTES


def damaged(raw, at=-1):
    raw = bytearray(raw)
    raw[at] ^= 0xFF
    return bytes(raw)


def test_a_batch_with_a_wrong_checksum_is_one_refused_record_at_its_last_offset():
    first, second, third = (batch([GOOD] * 3, ZSTD, base_offset=n) for n in (0, 3, 6))
    records = fetched(first, damaged(second), third)
    assert [one.offset for one in records] == [0, 1, 2, 5, 6, 7, 8]
    refused = records[3].value
    assert refused.exception == "DamagedBatch"
    assert refused.message == "the batch of the offsets 3 to 5 has a wrong checksum"
    assert [one.value for one in records if one is not records[3]] == [GOOD[1]] * 6


@pytest.mark.parametrize("offset", [0, 1, 2])
@pytest.mark.parametrize("at", range(17, HEAD_BYTES))
def test_a_damaged_head_of_the_last_batch_neither_stops_a_reader_nor_takes_it_too_far(at, offset):
    raw, position, refused = damaged(batch([GOOD] * 3), at), offset, []
    while position < 3:
        records = partition_records([raw], position)
        refused += [one.offset for one in records]
        assert position < records.next_fetch_offset <= 3
        position = records.next_fetch_offset
    assert refused
    assert refused[-1] == 2


def test_a_damaged_head_is_stepped_over_up_to_the_following_batch():
    for at in range(17, HEAD_BYTES):
        received = fetched(damaged(batch([GOOD] * 3), at), batch([GOOD], base_offset=9))
        assert [one.offset for one in received] == [8, 9]


def test_offsets_whose_records_and_end_of_transaction_were_compacted_away_hold_no_work():
    """Compaction keeps the last offset of a batch, and removes records and control records before it."""
    topic = "compacted-away"
    raw = bytearray(batch([GOOD, GOOD]))
    struct.pack_into(">i", raw, LAST_OFFSET_AT, 6)
    struct.pack_into(">I", raw, CHECKSUM_AT, calc_crc32c(bytes(raw[CHECKSUM_AT + 4 :])))
    arguments = TopicPartition(topic, 0), FetchedRecords(bytes(raw)), None, 0, None, None, True, 1
    records = WatchedRecords(*arguments)
    assert [one.offset for one in records] == [0, 1]
    assert records.next_fetch_offset == 7
    assert EMPTY_TAILS.end_after(topic, 0, 2) == 7
