"""Fetched bytes to text: content encoding, content type, charset, control characters.

The declared charset is the third thing asked, not the first: a byte-order mark and strict UTF-8
are evidence, a declaration is a claim.
"""

import re
from codecs import BOM_UTF8
from typing import Literal

import msgspec

from templ_core.dom.decode._bytes import controls_and_points
from templ_core.dom.decode.charset import decode_text, has_controls, web_name, wide_codec
from templ_core.dom.decode.content_encoding import decompress
from templ_core.errors import EmptyPage, UnsupportedContent

ContentType = Literal["html", "xml", "text"]


class DecodedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page, ready for a parser: no byte-order mark, no control characters."""

    utf8: bytes
    """The text in UTF-8."""
    chars: int
    """Code points of the text."""
    charset: str
    """The charset that was used, under its web name (`utf-8`, `windows-1252`, `gb18030`)."""
    content_type: ContentType
    repaired: bool
    """Whether bytes were replaced or control characters removed."""

    @property
    def text(self) -> str:
        """The text, decoded at each call."""
        return self.utf8.decode()


def decode_page(
    body: bytes,
    *,
    content_type: str | None,
    charset: str | None,
    content_encoding: str | None,
    limit_bytes: int,
) -> DecodedPage:
    """Text of a fetched page.

    Args:
        body: The bytes as fetched.
        content_type: Value of the content-type header.
        charset: Charset declared outside the page; goes before that of the content type.
        content_encoding: Value of the content-encoding header; a body that is not compressed
            in spite of it is used as it is.
        limit_bytes: Most bytes that the body may have, compressed or not.

    Raises:
        EmptyPage: there is no byte, or none that is text.
        UnsupportedContent: another content type, or a content encoding that is unknown or broken.
        PageTooLarge: more bytes than allowed.
    """
    body = decompress(body, content_encoding or "", limit_bytes)
    if not body:
        raise EmptyPage("the page has no bytes")
    declared_type = _declared_type(content_type)
    if body[:64].lstrip().startswith(b"%PDF-"):
        raise UnsupportedContent("the page is a PDF file")
    labels = [charset or "", _charset_parameter(content_type or "")]
    is_dirty, chars = controls_and_points(body)
    if is_dirty:
        _refuse_binary(body, labels)
    codec, is_repaired = "utf-8", False
    if chars < 0:
        text, codec, is_repaired = _read(body, labels, is_dirty=is_dirty)
        body, chars = text.encode(), len(text)
    while body.startswith(BOM_UTF8):
        body, chars = body[len(BOM_UTF8) :], chars - 1
    if not body:
        raise EmptyPage("the page has no text")
    return DecodedPage(
        utf8=body,
        chars=chars,
        charset=web_name(codec),
        content_type=_content_type_of(body, declared_type),
        repaired=is_repaired,
    )


def _read(body: bytes, labels: list[str], *, is_dirty: bool) -> tuple[str, str, bool]:
    """Text, its codec, and whether it is repaired, of what is not UTF-8 or has control characters."""
    decoded = decode_text(body, labels, has_escapes=is_dirty and b"\x1b" in body)
    text, changes = decoded.text, 0
    if is_dirty:
        text, changes = _without_controls(text)
    return text, decoded.codec, changes > 0 or not decoded.is_exact


_CHARSET_PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"',]+)", re.IGNORECASE)
_CONTROL_SPACES = re.compile("[\x0b\x0c\x1c-\x1f]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f]+")


def _charset_parameter(content_type: str) -> str:
    found = _CHARSET_PARAMETER.search(content_type[:1000])
    return found[1] if found else ""


def _without_controls(text: str) -> tuple[str, int]:
    """The text without control characters, and how many places changed."""
    text, spaces = _CONTROL_SPACES.subn(" ", text)
    text, others = _CONTROLS.subn("", text)
    return text, spaces + others


# --- content type ------------------------------------------------------------------------

_HTML_TYPES = {"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"}
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
_SAMPLE_BYTES = 8192
_MOST_CONTROLS = 0.3
_MANY_CONTROLS = 0.05
_PAGE_START = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+<(?:!doctype\s++html|html|head|body)\b",
    re.IGNORECASE,
)
_TAG = re.compile(rb"<[a-zA-Z!/?]")


def _declared_type(content_type: str | None) -> ContentType | None:
    media_type = (content_type or "").split(";")[0].split(",")[0].strip().lower()
    if "/" not in media_type or media_type in _UNKNOWN_TYPES:
        return None
    if media_type in _HTML_TYPES:
        return "html"
    if media_type == "text/plain":
        return "text"
    is_image = media_type.startswith("image/")
    if media_type in {"text/xml", "application/xml"} or (
        media_type.endswith("+xml") and not is_image
    ):
        return "xml"
    raise UnsupportedContent(
        f"content type {media_type[:80]!r}: only HTML, XHTML, XML and plain text are read"
    )


def _content_type_of(utf8: bytes, declared: ContentType | None) -> ContentType:
    """The declared kind, unless the text begins as an HTML page does."""
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
    """Refuses what is no text in any charset.

    Raises:
        UnsupportedContent: a binary file, whatever its content type says.
    """
    sample = body[:_SAMPLE_BYTES]
    if has_controls(sample[:64]):
        if sample[4:8] == b"ftyp":
            raise UnsupportedContent("the page is an MP4 file")
        for signature, name in _SIGNATURES:
            if sample.startswith(signature):
                raise UnsupportedContent(f"the page is a file of kind {name}")
    if wide_codec(sample, labels):
        return
    share = 1 - len(sample.translate(None, _CONTROL_BYTES)) / len(sample)
    if share > _MOST_CONTROLS or (share > _MANY_CONTROLS and not _is_utf8(sample)):
        raise UnsupportedContent(f"the page is binary: {share:.0%} control characters")


def _is_utf8(sample: bytes) -> bool:
    try:
        sample[:-3].decode()
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 6
    return True
