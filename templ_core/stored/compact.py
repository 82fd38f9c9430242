"""The compact form of the core's stored values: numbered columns as MessagePack, compressed with zstd.

Every stored value has a private struct of columns whose first field is the number of its format.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Generic, TypeVar

import msgspec
import zstandard

from templ_core.errors import CodecError

ROWS_MAX = 1 << 19
"""Most values of a stored column, and most strings of a stored list.

Half a million strings take 30 MB in memory, however few bytes they have when stored. A page of more
elements or segments is cleaned, but nothing is learned from it.
"""
PAGES_MAX = 1 << 20
"""Most pages that a stored count of pages may name; windows hold 1000 by default."""
INT32_MAX = (1 << 31) - 1
"""Largest value of a column that compiled code reads as 32-bit integers."""

Count = Annotated[int, msgspec.Meta(ge=0, le=INT32_MAX)]
"""A stored number that compiled code may read as a 32-bit integer."""
Pages = Annotated[int, msgspec.Meta(ge=0, le=PAGES_MAX)]
"""A stored number of pages."""
Texts = Annotated[list[str], msgspec.Meta(max_length=ROWS_MAX)]
"""A stored list of strings, bounded before memory is taken for it."""
_DAMAGE = (zstandard.ZstdError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What damaged bytes make the decoders raise."""
_ARRAYS = {bytes([first]) for first in (*range(0x90, 0xA0), 0xDC, 0xDD)}
"""First bytes of an array in MessagePack; a zstd frame has none of them."""


class _Contexts(threading.local):
    """The compressors and the decompressor of one thread.

    They are kept, because making one takes longer than using it on the value of a page, and they may
    not be used by two threads at a time.
    """

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()
        self._compressors: dict[int, zstandard.ZstdCompressor] = {}

    def compressor(self, level: int) -> zstandard.ZstdCompressor:
        """Return the compressor of a level, which writes a checksum behind each frame."""
        known = self._compressors.get(level)
        if known is None:
            known = zstandard.ZstdCompressor(level=level, write_checksum=True)
            self._compressors[level] = known
        return known


_CONTEXTS = _Contexts()


class CompactColumns(msgspec.Struct, frozen=True, array_like=True):
    """The base of all columns that are stored; subclasses add their fields behind the format."""

    format: int
    """Number of the format; it changes whenever the fields do."""


SomeColumns = TypeVar("SomeColumns", bound=CompactColumns)


class CompactForm(msgspec.Struct, Generic[SomeColumns], frozen=True):
    """How the values of one type are stored.

    Equal columns give equal bytes. Whatever the bytes are, decoding either gives columns of the known
    format or raises `CodecError`, and never needs more memory than `max_bytes` for the MessagePack.

    >>> class Point(CompactColumns, frozen=True, array_like=True):
    ...     x: int
    ...     y: int
    >>> form = CompactForm("point", 1, Point)
    >>> form.decode(form.encode(Point(form.format, 3, 4)))
    Point(format=1, x=3, y=4)
    >>> form.decode(form.encode(Point(2, 3, 4)))
    Traceback (most recent call last):
    templ_core.errors.CodecError: point of format 2, known is 1
    """

    name: str
    """What the value is called in error messages."""
    format: int
    """The number of the format that is written."""
    columns: type[SomeColumns]
    """The columns of that format."""
    level: int = 3
    """Level of the compression, 1 to 22."""
    max_bytes: int = 64 << 20
    """The largest MessagePack that is decoded."""
    earlier: dict[int, type[SomeColumns]] = {}
    """The columns of the other formats that are read, by their numbers."""

    def encode(self, columns: SomeColumns, *, compressed: bool = True) -> bytes:
        """Return the columns as MessagePack, compressed by default."""
        packed = self.pack(columns)
        return self.compress(packed) if compressed else packed

    def decode(self, body: bytes) -> SomeColumns:
        """Return the columns that `encode` made `body` of.

        Raises:
            CodecError: The bytes are damaged, too large when decompressed, or of another format.
        """
        return self.unpack(self.decompress(body))

    def pack(self, columns: SomeColumns) -> bytes:
        """Return the columns as MessagePack."""
        return msgspec.msgpack.encode(columns)

    def unpack(self, packed: bytes) -> SomeColumns:
        """Return the columns that `pack` made `packed` of.

        Raises:
            CodecError: The bytes are damaged or of another format.
        """
        with self.refusing():
            number = msgspec.msgpack.decode(packed, type=CompactColumns).format
            columns = self.columns if number == self.format else self.earlier.get(number)
            if columns is None:
                raise CodecError(f"{self.name} of format {number}, known is {self.format}")
            return msgspec.msgpack.decode(packed, type=columns)

    def compress(self, packed: bytes) -> bytes:
        """Return `packed` as one zstd frame, with a checksum by which damage is noticed."""
        return _CONTEXTS.compressor(self.level).compress(packed)

    def decompress(self, body: bytes) -> bytes:
        """Return what `compress` was given, also where `body` was not compressed.

        Raises:
            CodecError: The bytes are no zstd frame, or hold more than `max_bytes`.
        """
        try:
            return compact_content(body, self.max_bytes)
        except CodecError as error:
            raise CodecError(f"not a {self.name}: {error}") from None

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn every error that damaged bytes cause while they are read into a `CodecError`."""
        try:
            yield
        except _DAMAGE as error:
            raise CodecError(f"not a {self.name}: {error}") from None


def compact_content(body: bytes, max_bytes: int) -> bytes:
    r"""Return the MessagePack of a stored value, which is compressed or not: it begins an array then.

    >>> compact_content(zstandard.compress(b"\x91\x03"), 2) == compact_content(b"\x91\x03", 2)
    True

    Raises:
        CodecError: The bytes are neither, or hold more than `max_bytes`.
    """
    is_array = body[:1] in _ARRAYS
    if is_array and len(body) > max_bytes:
        raise CodecError(f"content of {len(body)} bytes, and {max_bytes} is the most")
    return body if is_array else frame_content(body, max_bytes)


def content_bytes(body: bytes) -> int:
    r"""Return the size of what `compact_content` returns, without decompressing it.

    >>> content_bytes(zstandard.compress(b"\x91\x03")), content_bytes(b"\x91\x03")
    (2, 2)
    """
    return len(body) if body[:1] in _ARRAYS else zstandard.frame_content_size(body)


def frame_content(
    frame: bytes, max_bytes: int, decompressor: zstandard.ZstdDecompressor | None = None
) -> bytes:
    """Return the content of a zstd frame; everything that is decompressed passes here.

    >>> frame_content(zstandard.compress(b"tea"), 3)
    b'tea'
    >>> frame_content(zstandard.compress(b"green tea"), 3)
    Traceback (most recent call last):
    templ_core.errors.CodecError: content of 9 bytes, and 3 is the most

    Args:
        frame: The frame.
        max_bytes: Size of the largest content.
        decompressor: What decompresses, where the frame needs a dictionary; None = a plain one.

    Raises:
        CodecError: The bytes are no zstd frame, or hold more than `max_bytes`.
    """
    try:
        # The decompressor ignores its bound where a frame itself says how large its content is.
        size_bytes = zstandard.frame_content_size(frame)
        if size_bytes > max_bytes:
            raise CodecError(f"content of {size_bytes} bytes, and {max_bytes} is the most")
        decompressor = decompressor or _CONTEXTS.decompressor
        return decompressor.decompress(frame, max_output_size=max_bytes)
    except (zstandard.ZstdError, ValueError) as error:
        raise CodecError(str(error)) from None


def content_digest(columns: bytes) -> bytes:
    """Return the identity of a page's content: BLAKE2b of its columns, 16 bytes."""
    return hashlib.blake2b(columns, digest_size=16).digest()
