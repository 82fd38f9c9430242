"""Batches of Kafka records as a client of any other make may send them."""

import gzip
import struct

import cramjam
import zstandard
from aiokafka.codec import lz4_encode, snappy_encode
from aiokafka.record.default_records import _DefaultRecordBatchPy
from aiokafka.record.util import calc_crc32c, encode_varint

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
NOW_MS = 1_800_000_000_000
_PIECE = bytes(1 << 20)


class Zeros:
    """A value of so many zeros, which is never in memory as a whole."""

    def __init__(self, size):
        self.size = size

    def pieces(self):
        for _ in range(self.size // len(_PIECE)):
            yield _PIECE
        yield bytes(self.size % len(_PIECE))


def varint(value):
    encoded = bytearray()
    encode_varint(value, encoded.append)
    return bytes(encoded)


def nullable(value):
    return varint(-1) if value is None else varint(len(value)) + value


def record_pieces(shift, key, value, headers=()):
    """The bytes of a record; its header names are bytes."""
    head = b"\0" + varint(0) + varint(shift) + nullable(key)
    tail = varint(len(headers)) + b"".join(nullable(n) + nullable(v) for n, v in headers)
    size = value.size if isinstance(value, Zeros) else len(value or b"")
    value_head = varint(-1 if value is None else size)
    yield varint(len(head) + len(value_head) + size + len(tail)) + head + value_head
    yield from value.pieces() if isinstance(value, Zeros) else [value or b""]
    yield tail


def compressed(pieces, codec):
    if codec == ZSTD:
        writer = zstandard.ZstdCompressor().compressobj()
        return b"".join(map(writer.compress, pieces)) + writer.flush()
    content = b"".join(pieces)
    compress = {NONE: bytes, GZIP: gzip.compress, SNAPPY: snappy_encode, LZ4: lz4_encode}
    return compress[codec](content)


def raw_snappy(content):
    """Snappy without Kafka's own frame, as librdkafka sends it."""
    return bytes(cramjam.snappy.compress_raw(content))


def batch(records, codec=NONE, base_offset=0, stored=None, stamp_ms=NOW_MS, epoch=0):
    """A batch of records, each with key, value and headers; `stored` replaces their bytes."""
    pieces = (piece for shift, one in enumerate(records) for piece in record_pieces(shift, *one))
    stored = compressed(pieces, codec) if stored is None else stored
    count = len(records)
    checked = (
        struct.pack(">hiqqqhii", codec, count - 1, stamp_ms, stamp_ms, -1, -1, -1, count) + stored
    )
    head = struct.pack(">ibI", epoch, 2, calc_crc32c(checked))
    return struct.pack(">qi", base_offset, len(head) + len(checked)) + head + checked


HEAD_BYTES = _DefaultRecordBatchPy.HEADER_STRUCT.size
