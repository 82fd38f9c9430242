"""The content of a compressed batch of records, a piece at a time, so that no batch fills the memory."""

import gzip
import io
import struct
import zlib
from collections.abc import Callable, Iterator

import cramjam
import zstandard

_PIECE_BYTES = 1 << 20
"""Largest piece of gzip and zstd content; those of lz4 are its blocks, of at most 4 MiB."""
_XERIAL = b"\x82SNAPPY\0"
"""First bytes of content in snappy blocks, as Kafka's own clients write it."""
_XERIAL_HEAD_BYTES = 16
_SNAPPY_RATIO = 64
"""Largest ratio of content to snappy bytes: a copy of up to 64 bytes takes two bytes or more."""
_LZ4_MAGIC = 0x184D2204
_DAMAGE = (
    EOFError,
    OSError,
    zlib.error,
    zstandard.ZstdError,
    cramjam.DecompressionError,
    struct.error,
)
"""What the decompressors raise for damaged bytes."""
_LZ4_STORED = 1 << 31
"""Bit in the size of an lz4 block that is not compressed."""


class ContentError(Exception):
    """The content of a batch cannot be read; the error says why."""


class BatchContent:
    """Reads the content of a batch in order."""

    def __init__(self, codec: int, stored: bytes, skip_bytes_max: int) -> None:
        """Begin at the first record.

        Args:
            codec: Kafka's number of the compression, from 0 for none to 4 for zstd.
            stored: The records of the batch as they are stored.
            skip_bytes_max: Most bytes that are skipped in the batch.
        """
        pieces = _PIECES.get(codec)
        if pieces is None:
            raise ContentError(f"unknown compression {codec}")
        self._pieces = pieces(stored)
        self._piece = b""
        self._at = 0
        self._skip_bytes_left = skip_bytes_max
        self.position = 0
        """Number of bytes that were read or skipped."""

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes.

        Raises:
            ContentError: The content ends before, or is damaged.
        """
        self.position += size
        found = self._piece[self._at : self._at + size]
        self._at += len(found)
        if len(found) == size:
            return found
        parts = [found]
        size -= len(found)
        while size:
            self._next_piece()
            parts.append(self._piece[:size])
            self._at = len(parts[-1])
            size -= self._at
        return b"".join(parts)

    def skip(self, size: int) -> None:
        """Move past the next `size` bytes.

        Raises:
            ContentError: The content ends before, is damaged, or so much was skipped before.
        """
        self.position += size
        self._skip_bytes_left -= size
        if self._skip_bytes_left < 0:
            raise ContentError("the batch holds too much to be read past it")
        while size > len(self._piece) - self._at:
            size -= len(self._piece) - self._at
            self._next_piece()
        self._at += size

    def varint(self) -> int:
        """Return the next number, which is in zigzag form.

        Raises:
            ContentError: The content ends before, is damaged, or holds no number here.
        """
        value = shift = 0
        while shift < 64:
            byte = self.read(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
        raise ContentError("a number of more than 64 bits")

    def _next_piece(self) -> None:
        try:
            self._piece = next(self._pieces)
        except StopIteration:
            raise ContentError("the batch ends within a record") from None
        except _DAMAGE as error:
            raise ContentError(f"damaged compression: {error}") from None
        self._at = 0


def _plain(stored: bytes) -> Iterator[bytes]:
    yield stored


def _gzip(stored: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(stored)) as stream:
        while piece := stream.read(_PIECE_BYTES):
            yield piece


def _zstd(stored: bytes) -> Iterator[bytes]:
    reader = zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True)
    while piece := reader.read(_PIECE_BYTES):
        yield piece


def _snappy(stored: bytes) -> Iterator[bytes]:
    if not stored.startswith(_XERIAL):
        yield _snappy_block(stored)
        return
    stream = io.BytesIO(stored[_XERIAL_HEAD_BYTES:])
    while head := stream.read(4):
        (size,) = struct.unpack(">I", head)
        yield _snappy_block(stream.read(size))


def _snappy_block(block: bytes) -> bytes:
    size = shift = 0
    for byte in block[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
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


_PIECES: dict[int, Callable[[bytes], Iterator[bytes]]] = {
    0: _plain,
    1: _gzip,
    2: _snappy,
    3: _lz4,
    4: _zstd,
}
