"""Decoding of fetched bytes to text: content encoding, content type, charset, control characters.

A declared charset is a claim. It counts only after the evidence: a byte-order mark or valid UTF-8.
"""

import functools
import html
import re
from codecs import BOM_UTF8

import msgspec

from templ_core.dom.decode._bytes import controls_and_points
from templ_core.dom.decode.charset import decode_text, web_name, without_controls
from templ_core.dom.decode.content_encoding import decompress
from templ_core.dom.decode.media_type import (
    ContentType,
    content_type_of,
    declared_type,
    refuse_binary,
)
from templ_core.errors import EmptyPage, UnsupportedContent

_MARKS = re.compile(rb"(?:%b)++" % BOM_UTF8)
_BLANK_LINES = re.compile(r"\n[ \t\r]*\n")
_CHARSET_PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"',]+)", re.IGNORECASE)


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
        refuse_binary(body, labels)
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
        content_type=content_type_of(body, declared),
        repaired=is_repaired,
    )


@functools.lru_cache(1 << 8)
def _declarations(content_type: str) -> tuple[ContentType | None, str]:
    """Return the content type and the charset label that a content-type header declares.

    Raises:
        UnsupportedContent: It says that the page is something else.
    """
    parameter = _CHARSET_PARAMETER.search(content_type[:1000])
    return declared_type(content_type), parameter[1] if parameter else ""
