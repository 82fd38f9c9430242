"""The records of a compressed batch, read a piece at a time, so that no batch fills the memory.

References:
    Kafka's documentation, "Implementation", section 5.3 "Messages": the record batch of format 2.
"""

import gzip
import io
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import cramjam
import zstandard

from workers.kafka.broker.received import KEPT_BYTES, Header, RefusedValue

_PIECE_BYTES = 1 << 20
"""Bytes that are decompressed at a time; lz4 and snappy come in blocks of their own."""
_XERIAL = b"\x82SNAPPY\0"
"""First bytes of content in snappy blocks, as Kafka's own clients write it."""
_XERIAL_HEAD_BYTES = 16
_SNAPPY_RATIO = 64
"""Largest ratio of content to snappy bytes: a copy of up to 64 bytes takes two bytes or more."""
_PLAIN = 0
"""Kafka's number for no compression."""
_LZ4_MAGIC = 0x184D2204
_DAMAGE = (
    OverflowError,
    EOFError,
    OSError,
    zlib.error,
    zstandard.ZstdError,
    cramjam.DecompressionError,
    struct.error,
)
"""The errors of the decompressors for damaged bytes."""
_LZ4_STORED = 1 << 31
"""Bit in the size of an lz4 block that is not compressed."""


class ContentError(Exception):
    """The content of a batch cannot be read; the error says why."""


class _Blocks(io.RawIOBase):
    """A stream of blocks that are decompressed one after the other."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


class BatchContent:
    """Reads the content of a batch in order; each method raises `ContentError` for one that is damaged."""

    def __init__(self, codec: int, stored: bytes, skip_bytes_max: int) -> None:
        """Begin at the first of the stored records; at most this number of bytes is skipped.

        The codec is Kafka's number of the compression, from 0 for none to 4 for zstd.
        """
        if codec not in _STREAMS:
            raise ContentError(f"unknown compression {codec}")
        self._stream = _STREAMS[codec](stored)
        self._skip_bytes_left = skip_bytes_max
        self.position = 0
        """Number of bytes that were read or skipped."""

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        try:
            data: bytes = self._stream.read(size)
        except _DAMAGE as error:
            raise ContentError(f"damaged compression: {error}") from None
        if len(data) < size:
            raise ContentError("the batch ends within a record")
        self.position += size
        return data

    def skip(self, size: int) -> None:
        """Move past the next `size` bytes, unless too much was skipped already."""
        self._skip_bytes_left -= size
        if self._skip_bytes_left < 0:
            raise ContentError("the batch holds too much to be read past it")
        end = self.position + size
        while self.position < end:
            self.read(min(end - self.position, _PIECE_BYTES))

    def varint(self) -> int:
        """Return the next number, which is in zigzag form."""
        value = shift = 0
        while shift < 64:
            byte = self.read(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
        raise ContentError("a number of more than 64 bits")

    def size(self) -> int:
        """Return the next number, which is a size."""
        size = self.varint()
        if size < 0:
            raise ContentError("a negative size")
        return size

    def bytes_or_none(self) -> bytes | None:
        """Return the key or value that comes next; None for one that is null."""
        size = self.varint()
        return None if size < 0 else self.read(size)


class StoredRecord(NamedTuple):
    """A record as it is stored, with its distances from the beginning of its batch."""

    shift_ms: int
    shift: int
    key: bytes | None
    value: bytes | None
    headers: list[Header]


def read_record(content: BatchContent, limit_bytes: int) -> StoredRecord:
    """Return the next record; its value is refused if it is larger than the limit, or has an odd header."""
    size_bytes = content.size()
    if size_bytes > limit_bytes:
        return _large_record(content, size_bytes, limit_bytes)
    body = BatchContent(_PLAIN, content.read(size_bytes), limit_bytes)
    body.skip(1)
    shift_ms, shift = body.varint(), body.varint()
    key, value = body.bytes_or_none(), body.bytes_or_none()
    headers, problem = _headers(body)
    if problem:
        kept = value or b""
        value = RefusedValue(kept, "InvalidHeader", problem, len(kept))
    return StoredRecord(shift_ms, shift, key, value, headers)


def _large_record(content: BatchContent, size_bytes: int, limit_bytes: int) -> StoredRecord:
    """Read what is kept of a record that is too large, and move past it."""
    end = content.position + size_bytes
    content.skip(1)
    shift_ms, shift = content.varint(), content.varint()
    key, _ = _kept(content)
    kept, value_bytes = _kept(content)
    rest_bytes = end - content.position
    if rest_bytes < 0:
        raise ContentError("a record that is larger than it says")
    headers: list[Header] = []
    if rest_bytes <= KEPT_BYTES:
        headers, _ = _headers(BatchContent(_PLAIN, content.read(rest_bytes), rest_bytes))
    else:
        content.skip(rest_bytes)
    reason = f"a record of {size_bytes} bytes, at most {limit_bytes} are allowed"
    value = RefusedValue(kept or b"", "RecordTooLarge", reason, value_bytes)
    return StoredRecord(shift_ms, shift, key, value, headers)


def _kept(content: BatchContent) -> tuple[bytes | None, int]:
    """Return the first bytes of the key or value that comes next, and its size."""
    size = content.varint()
    if size < 0:
        return None, 0
    first = content.read(min(size, KEPT_BYTES))
    content.skip(size - len(first))
    return first, size


def _headers(content: BatchContent) -> tuple[list[Header], str | None]:
    """Return the headers that come next, and what is wrong with the name of one of them."""
    headers: list[Header] = []
    problem = None
    for _ in range(content.varint()):
        name_bytes = content.read(content.size())
        name = name_bytes.decode(errors="backslashreplace")
        if name.encode() != name_bytes:
            problem = f"the header name {name} is not UTF-8"
        headers.append((name, content.bytes_or_none()))
    return headers, problem


def _gzip(stored: bytes) -> Any:
    return gzip.GzipFile(fileobj=io.BytesIO(stored))


def _zstd(stored: bytes) -> Any:
    reader = zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True)
    return io.BufferedReader(reader, _PIECE_BYTES)


def _of_blocks(blocks: Callable[[bytes], Iterator[bytes]]) -> Callable[[bytes], Any]:
    return lambda stored: io.BufferedReader(_Blocks(blocks(stored)))


def _snappy(stored: bytes) -> Iterator[bytes]:
    if not stored.startswith(_XERIAL):
        yield _snappy_block(stored)
        return
    stream = io.BytesIO(stored[_XERIAL_HEAD_BYTES:])
    while head := stream.read(4):
        (size,) = struct.unpack(">I", head)
        yield _snappy_block(stream.read(size))


def _snappy_block(block: bytes) -> bytes:
    size = cramjam.snappy.decompress_raw_len(block)
    if size > _SNAPPY_RATIO * len(block):
        raise ContentError(f"a snappy block of {len(block)} bytes that says it holds {size}")
    return bytes(cramjam.snappy.decompress_raw(block))


def _lz4(stored: bytes) -> Iterator[bytes]:
    stream = io.BytesIO(stored)
    while head := stream.read(6):
        magic, flags, block_code = struct.unpack("<IBB", head)
        if magic != _LZ4_MAGIC:
            raise ContentError("not an lz4 frame")
        if not flags & 0x20:
            raise ContentError("lz4 blocks that depend on each other")
        has_block_sum, has_size, has_sum, has_dictionary = (
            bool(flags & bit) for bit in (0x10, 0x08, 0x04, 0x01)
        )
        stream.seek(8 * has_size + 4 * has_dictionary + 1, io.SEEK_CUR)
        block_bytes = 1 << (8 + 2 * (block_code >> 4 & 7))
        while size := struct.unpack("<I", stream.read(4))[0]:
            block = stream.read(size & ~_LZ4_STORED)
            stream.seek(4 * has_block_sum, io.SEEK_CUR)
            if size & _LZ4_STORED:
                yield block
            else:
                yield bytes(cramjam.lz4.decompress_block(block, output_len=block_bytes))
        stream.seek(4 * has_sum, io.SEEK_CUR)


_STREAMS: dict[int, Callable[[bytes], Any]] = {
    _PLAIN: io.BytesIO,
    1: _gzip,
    2: _of_blocks(_snappy),
    3: _of_blocks(_lz4),
    4: _zstd,
}
