"""Decoding of fetched bytes to text: content encoding, content type, charset, control characters.

A declared charset is a claim. It counts only after the evidence: a byte-order mark or valid UTF-8.
"""

import functools
import html
import re
from codecs import BOM_UTF8
from typing import Literal

import msgspec

from templ_core.dom.config import DecodeConfig
from templ_core.dom.decode._bytes import controls_and_points
from templ_core.dom.decode.charset import (
    decode_text,
    has_controls,
    web_name,
    wide_codec,
    without_controls,
)
from templ_core.dom.decode.content_encoding import decompress
from templ_core.errors import EmptyPage, UnsupportedContent
from templ_core.patterns import pattern

_CONFIG = DecodeConfig()

ContentType = Literal["html", "xml", "text"]

_MARKS = pattern(rb"(?:%b)++" % BOM_UTF8)
_BLANK_LINES = pattern(r"\n[ \t\r]*\n")
_CHARSET_PARAMETER = pattern(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"',]+)", re.IGNORECASE)


class DecodedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page for the parser, without byte-order mark and control characters."""

    utf8: bytes
    """The text in UTF-8."""
    chars: int
    """Code points of the text."""
    charset: str
    """The charset that was used, under its name on the web (`utf-8`, `windows-1252`, `gb18030`)."""
    content_type: ContentType
    """What the text is, by its declaration and its beginning."""
    repaired: bool
    """Whether bytes were replaced or control characters removed."""

    @property
    def text(self) -> str:
        """The text; it is decoded at each call."""
        return self.utf8.decode()

    @property
    def markup(self) -> bytes:
        """The text as markup in UTF-8; plain text has a paragraph for each block of lines."""
        if self.content_type != "text":
            return self.utf8
        paragraphs = _BLANK_LINES.split(self.text)
        return "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs).encode()


def decode_page(
    body: bytes,
    *,
    content_type: str | None,
    charset: str | None,
    content_encoding: str | None,
    limit_bytes: int,
) -> DecodedPage:
    """Return the text of a fetched page.

    Args:
        body: The bytes as fetched.
        content_type: Value of the content-type header; None if there is none.
        charset: Charset declared outside the page; it is trusted more than that of the content
            type.
        content_encoding: Value of the content-encoding header. A body that is not compressed in
            spite of it is used as it is.
        limit_bytes: Largest number of bytes of the body, compressed or not.

    Raises:
        EmptyPage: The page has no bytes, or no text.
        UnsupportedContent: The page is not HTML, XML or plain text, or its content encoding is
            unknown or broken.
        PageTooLarge: There are more bytes than allowed.

    >>> page = decode_page(
    ...     "<p>Grüße".encode("latin1"),
    ...     content_type="text/html; charset=iso-8859-1",
    ...     charset=None,
    ...     content_encoding=None,
    ...     limit_bytes=1000,
    ... )
    >>> page.text, page.charset, page.content_type
    ('<p>Grüße', 'windows-1252', 'html')
    """
    body = decompress(body, content_encoding or "", limit_bytes)
    if not body:
        raise EmptyPage("the page has no bytes")
    declared, label = _declarations(content_type or "")
    if body[:64].lstrip().startswith(b"%PDF-"):
        raise UnsupportedContent("the page is a PDF file")
    labels = [charset or "", label]
    is_dirty, chars = controls_and_points(body)
    if is_dirty:
        _refuse_binary(body, labels)
    codec, is_repaired = "utf-8", False
    if chars < 0:
        decoded = decode_text(body, labels, has_escapes=is_dirty and b"\x1b" in body)
        text, changes = without_controls(decoded.text) if is_dirty else (decoded.text, 0)
        codec, is_repaired = decoded.codec, changes > 0 or not decoded.is_exact
        body, chars = text.encode(), len(text)
    marks = _MARKS.match(body)
    if marks is not None:
        body, chars = body[marks.end() :], chars - marks.end() // len(BOM_UTF8)
    if not body:
        raise EmptyPage("the page has no text")
    return DecodedPage(
        utf8=body,
        chars=chars,
        charset=web_name(codec),
        content_type=_content_type_of(body, declared),
        repaired=is_repaired,
    )


@functools.lru_cache(1 << 8)
def _declarations(content_type: str) -> tuple[ContentType | None, str]:
    """Return the content type and the charset label that a content-type header declares.

    Raises:
        UnsupportedContent: It says that the page is something else.
    """
    parameter = _CHARSET_PARAMETER.search(content_type[:1000])
    return _declared_type(content_type), parameter[1] if parameter else ""


# --- content types --------------------------------------------------------------------------

_HTML_TYPES = {"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"}
_XML_TYPES = {"text/xml", "application/xml"}
_UNKNOWN_TYPES = {"unknown/unknown", "application/unknown", "*/*"}
_SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n", "PNG"),
    (b"GIF8", "GIF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf", "7z"),
    (b"BZh", "bzip2"),
    (b"Rar!", "RAR"),
    (b"\x7fELF", "ELF"),
    (b"MZ", "Windows program"),
    (b"\xd0\xcf\x11\xe0", "Office document"),
    (b"RIFF", "RIFF"),
    (b"OggS", "Ogg"),
    (b"ID3", "MP3"),
    (b"\x1aE\xdf\xa3", "Matroska"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"OTTO", "font"),
    (b"\x00\x01\x00\x00", "font"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"\x00asm", "WebAssembly"),
    (b"SQLite format 3", "SQLite"),
)
_CONTROL_BYTES = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r\x0c\x1b")
_PAGE_START = pattern(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+<(?:!doctype\s++html|html|head|body)\b",
    re.IGNORECASE,
)
_TAG = pattern(rb"<[a-zA-Z!/?]")


def _declared_type(content_type: str) -> ContentType | None:
    media_type = content_type.split(";", maxsplit=1)[0].split(",", maxsplit=1)[0].strip().lower()
    if "/" not in media_type or media_type in _UNKNOWN_TYPES:
        return None
    if media_type in _HTML_TYPES:
        return "html"
    if media_type == "text/plain":
        return "text"
    is_image = media_type.startswith("image/")
    if media_type in _XML_TYPES or (media_type.endswith("+xml") and not is_image):
        return "xml"
    raise UnsupportedContent(
        f"content type {media_type[:80]!r}: only HTML, XHTML, XML and plain text are read"
    )


def _content_type_of(utf8: bytes, declared: ContentType | None) -> ContentType:
    """Return the declared content type, unless the text begins as an HTML page does."""
    if declared == "html":
        return "html"
    head = utf8[:2048]
    if _PAGE_START.match(head):
        return "html"
    if declared is not None:
        return declared
    if head.lstrip()[:5] == b"<?xml":
        return "xml"
    return "html" if _TAG.search(utf8, 0, 65536) else "text"


def _refuse_binary(body: bytes, labels: list[str]) -> None:
    """Refuse bytes that are not text in any charset.

    Raises:
        UnsupportedContent: The page is a binary file, whatever its content type says.
    """
    sample = body[: _CONFIG.binary_sample_bytes]
    if has_controls(sample[:64]):
        if sample[4:8] == b"ftyp":
            raise UnsupportedContent("the page is an MP4 file")
        for signature, name in _SIGNATURES:
            if sample.startswith(signature):
                raise UnsupportedContent(f"the page is a file of format {name}")
    if wide_codec(sample, labels):
        return
    share = 1 - len(sample.translate(None, _CONTROL_BYTES)) / len(sample)
    if share > _CONFIG.control_ratio_max or (
        share > _CONFIG.control_ratio_max_not_utf8 and not _is_utf8(sample)
    ):
        raise UnsupportedContent(f"the page is binary: {share:.0%} control characters")


def _is_utf8(sample: bytes) -> bool:
    try:
        sample[:-3].decode()
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 6
    return True
