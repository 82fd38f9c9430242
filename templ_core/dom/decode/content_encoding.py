"""Decompression of a fetched body that never yields more bytes than allowed."""

import functools
import zlib
from collections.abc import Callable, Iterator

import brotli  # type: ignore[import-untyped]
import zstandard

from templ_core.dom.config import DecodeConfig
from templ_core.dom.decode._bytes import controls_and_points
from templ_core.errors import PageTooLarge, UnsupportedContent

_CONFIG = DecodeConfig()


def decompress(body: bytes, content_encoding: str, limit: int) -> bytes:
    """Return a body without its content encodings.

    Args:
        body: Bytes as fetched.
        content_encoding: Value of the content-encoding header, perhaps a list; empty = none.
        limit: Largest number of bytes before and after decompression.

    Raises:
        PageTooLarge: There are more bytes than the limit.
        UnsupportedContent: An encoding is unknown, or a compressed stream is broken.

    >>> decompress(zlib.compress(b"<p>text"), "deflate", 1000)
    b'<p>text'
    """
    if len(body) > limit:
        raise PageTooLarge(f"{len(body)} bytes, at most {limit} are allowed")
    if not content_encoding:
        return body
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in {"", "identity", "none"}]
    if len(names) > _CONFIG.encodings_max:
        raise UnsupportedContent(f"{len(names)} content encodings, at most {_CONFIG.encodings_max}")
    for name in reversed(names):
        pieces = _ENCODINGS.get(name)
        if pieces is None:
            raise UnsupportedContent(f"content encoding {name[:40]!r} is not known")
        body = _inflate(body, name, pieces, limit)
    return body


def _inflate(
    body: bytes, name: str, pieces: Callable[[bytes], Iterator[bytes]], limit: int
) -> bytes:
    if _is_not_compressed(body, name):
        return body
    found: list[bytes] = []
    size = 0
    try:
        for piece in pieces(body):
            found.append(piece)
            size += len(piece)
            if size > limit:
                raise PageTooLarge(f"more than {limit} bytes when decompressed ({name})")
    except (zlib.error, zstandard.ZstdError, brotli.error, EOFError) as error:
        raise UnsupportedContent(f"the {name} stream is broken: {error}") from None
    return b"".join(found)


def _is_not_compressed(body: bytes, name: str) -> bool:
    """Return whether a crawler has decompressed the body already."""
    if name in {"gzip", "x-gzip"}:
        return not body.startswith(b"\x1f\x8b")
    if name == "zstd":
        return not body.startswith(b"\x28\xb5\x2f\xfd") and body[1:4] != b"\x2a\x4d\x18"
    head = body[:1024]
    is_markup = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
    return not head or (is_markup and not controls_and_points(head)[0])


def _zlib_pieces(body: bytes, window_bits: int) -> Iterator[bytes]:
    for _ in range(_CONFIG.members_max):
        stream = zlib.decompressobj(window_bits)
        while not stream.eof:
            piece = stream.decompress(body, 1 << 20)
            body = stream.unconsumed_tail
            if not piece and not body and not stream.eof:
                raise EOFError("it ends too early")
            yield piece
        body = stream.unused_data
        if window_bits != _GZIP or not body.startswith(b"\x1f\x8b"):
            return
    raise EOFError(f"more than {_CONFIG.members_max} members")


_GZIP = 31


def _deflate_pieces(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of zlib or raw deflate data: the standard asks for zlib, but both are sent."""
    has_header = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _zlib_pieces(body, 15 if has_header else -15)


def _brotli_pieces(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    piece = stream.process(body, output_buffer_limit=1 << 20)
    while piece or not stream.is_finished():
        if not piece and stream.can_accept_more_data():
            raise EOFError("it ends too early")
        yield piece
        if stream.is_finished():
            return
        piece = stream.process(b"", output_buffer_limit=1 << 20)


def _zstd_pieces(body: bytes) -> Iterator[bytes]:
    for _ in range(_CONFIG.members_max):
        stream = zstandard.ZstdDecompressor().decompressobj()
        start = 0
        while not stream.eof:
            if start >= len(body):
                raise EOFError("it ends too early")
            yield stream.decompress(body[start : start + _CONFIG.zstd_step_bytes])
            start += _CONFIG.zstd_step_bytes
        body = stream.unused_data + body[start:]
        if not body:
            return
    raise EOFError(f"more than {_CONFIG.members_max} frames")


_ENCODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": functools.partial(_zlib_pieces, window_bits=_GZIP),
    "x-gzip": functools.partial(_zlib_pieces, window_bits=_GZIP),
    "deflate": _deflate_pieces,
    "br": _brotli_pieces,
    "zstd": _zstd_pieces,
}
