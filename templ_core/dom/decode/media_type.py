"""What kind of text a page is: HTML, XML or plain text; what is none of these is refused."""

import re
from typing import Literal

from templ_core.dom.config import DecodeConfig
from templ_core.dom.decode.charset import has_controls, wide_codec
from templ_core.errors import UnsupportedContent

_CONFIG = DecodeConfig()

ContentType = Literal["html", "xml", "text"]

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
_PAGE_START = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+<(?:!doctype\s++html|html|head|body)\b",
    re.IGNORECASE,
)
_TAG = re.compile(rb"<[a-zA-Z!/?]")


def declared_type(content_type: str | None) -> ContentType | None:
    """Return what a content-type header says the page is; None where it says nothing.

    Raises:
        UnsupportedContent: It says that the page is something else.

    >>> declared_type("text/html; charset=utf-8"), declared_type("*/*")
    ('html', None)
    """
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


def content_type_of(utf8: bytes, declared: ContentType | None) -> ContentType:
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


def refuse_binary(body: bytes, labels: list[str]) -> None:
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
