"""Decoding of fetched bytes to text: content encoding, content type, charset, control characters.

A declared charset is a claim. It counts only after the evidence: a byte-order mark or valid UTF-8.
"""

import codecs
import functools
import html
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Literal

import brotli  # type: ignore[import-untyped]
import msgspec
import zstandard
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from templ_core.dom.config import DecodeConfig
from templ_core.dom.decode._bytes import controls_and_points
from templ_core.errors import EmptyPage, PageTooLarge, UnsupportedContent
from templ_core.patterns import pattern

_CONFIG = DecodeConfig()

ContentType = Literal["html", "xml", "text"]

_UTF8_MARKS = pattern(rb"(?:%b)++" % BOM_UTF8)
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
    marks = _UTF8_MARKS.match(body)
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
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]++|-(?!->))*-->\s*+)*<(?:!doctype\s++html|html|head|body)\b",
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
    if controls_and_points(sample[:64])[0]:
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


class DecodedText(msgspec.Struct, frozen=True):
    """A text and the codec that it was read with."""

    text: str
    codec: str
    is_exact: bool
    """Whether every byte meant something in that codec."""


def decode_text(body: bytes, declared: list[str], *, has_escapes: bool) -> DecodedText:
    """Return the text of a page's bytes; every sequence of bytes has one.

    A byte-order mark decides first, then valid UTF-8, then UTF-8 with few broken characters, then
    a declared charset that all bytes agree with, and at last a charset detector.

    Args:
        body: The bytes without content encoding.
        declared: Charset labels declared outside the page, the most trusted first.
        has_escapes: Whether the bytes contain an escape character, as all ISO-2022 texts do.

    >>> decode_text("déjà vu".encode("cp1252"), ["latin1"], has_escapes=False)
    DecodedText(text='déjà vu', codec='cp1252', is_exact=True)
    """
    decoded = _with_mark(body)
    if decoded is not None:
        return decoded
    codec = wide_codec(body, declared)
    if codec is not None:
        return _leniently(body, codec)
    if has_escapes:
        decoded = _escaped(body, declared)
        if decoded is not None:
            return decoded
    return _as_utf8(body) or _as_declared_or_detected(body, declared)


def codec_of(label: str) -> str | None:
    """Return the codec of a charset label, or None for an unknown label.

    Labels mean what they mean on the web (WHATWG Encoding Standard), where many stand for a larger
    charset: `iso-8859-1` for windows-1252, `gb2312` for GB18030.

    >>> codec_of("ISO-8859-1")
    'cp1252'
    """
    label = label.strip("\t\n\f\r \"'").lower()
    if not _LABEL.fullmatch(label):
        return None
    label = _EXTRA_LABELS.get(label, label)
    try:
        name = codecs.lookup(map_encoding_to_html5(label, fallback_utf8=False) or label).name
    except (LookupError, ValueError):
        return None
    name = _LARGER_CODECS.get(name, name)
    return name if name in _CODECS else None


@functools.cache
def web_name(codec: str) -> str:
    """Return the name of a codec on the web."""
    if codec in _WEB_NAMES:
        return _WEB_NAMES[codec]
    return codec.replace("cp125", "windows-125").replace("iso8859-", "iso-8859-")


def wide_codec(body: bytes, declared: list[str]) -> str | None:
    """Return the codec of a body in UTF-16 or UTF-32, None for other bodies.

    A byte-order mark says so, a declaration outside the page, or the NUL beside each ASCII
    character.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return codec if codec != "utf-8" else None
    sample = body[:2048]
    if b"\0" not in sample:
        return None
    for label in declared:
        match = _WIDE_LABEL.fullmatch(label.strip().lower())
        if match and not _MARKUP.search(sample):
            return f"utf-{match[1]}-{match[2] or 'le'}"
    even, odd = sample[0::2], sample[1::2]
    if len(odd) < 4:
        return None
    many, few = _CONFIG.wide_zero_ratio * len(odd), _CONFIG.wide_stray_ratio * len(odd)
    if odd.count(0) >= many and even.count(0) <= few:
        return "utf-16-le"
    if even.count(0) >= many and odd.count(0) <= few:
        return "utf-16-be"
    return None


# --- evidence -------------------------------------------------------------------------------

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _with_mark(body: bytes) -> DecodedText | None:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return _leniently(body[len(mark) :], codec)
    return None


def _escaped(body: bytes, declared: list[str]) -> DecodedText | None:
    """Return the text of a body in ISO-2022-JP, whose bytes are ASCII and would pass as UTF-8."""
    codecs_named = [codec_of(label) for label in (*declared, *_declared_inside(body))]
    if "iso2022_jp" in (*codecs_named, _detected(body)):
        return _strictly(body, "iso2022_jp")
    return None


def _as_utf8(body: bytes) -> DecodedText | None:
    try:
        return DecodedText(body.decode(), "utf-8", is_exact=True)
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 3 and error.reason == "unexpected end of data":
            return DecodedText(body[: error.start].decode(), "utf-8", is_exact=False)
    text = body.decode(errors="replace")
    valid, broken = _valid_and_broken(text)
    written = body.count(b"\xef\xbf\xbd")
    if valid + written > _CONFIG.utf8_purity_ratio * (broken - written):
        return DecodedText(text, "utf-8", is_exact=False)
    return None


# --- claims and guesses ---------------------------------------------------------------------

_LABEL = pattern(r"[a-z0-9][a-z0-9_.:+-]{1,39}")
_WIDE_LABEL = pattern(r"utf-?(16|32)[-_]?(le|be)?")
_MARKUP = pattern(rb"<[a-zA-Z!/?]")
_XML_CHARSET = pattern(
    rb"\s*+<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']\s*([a-zA-Z0-9_.:+-]{2,40})"
)
_META = pattern(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<raw>script|style|title|textarea|noscript|template|iframe)\b.*?(?:</(?P=raw)\b|\Z)"
    rb"|<meta(?=[\s/])(?P<attributes>(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)",
    re.IGNORECASE | re.DOTALL,
)
"""What may stand before the declaration of a charset: comments and raw text that only look like one, and metas."""
_META_ATTRIBUTE = pattern(rb"([^\s=/\"'>]++)\s*+(?:=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]++)))?")
_CONTENT_CHARSET = pattern(rb"charset\s*+=\s*+[\"']?\s*+([a-zA-Z0-9_.:+-]{2,40})", re.IGNORECASE)
_TYPICAL_OF_SERVERS = "cp1252"
"""The charset that servers declare by default, whatever their pages have: ISO-8859-1."""


def _declared_inside(body: bytes) -> list[str]:
    """Return the charset labels that the page itself declares.

    Only the attribute `charset` of a `meta` counts, or its `content` where it stands for a content-type header.
    """
    match = _XML_CHARSET.match(body)
    if match:
        return [match[1].decode()]
    metas = _META.finditer(body, 0, _CONFIG.meta_reach_bytes)
    return [_label_of(meta["attributes"]) for meta in metas if meta["attributes"]]


def _label_of(attributes: bytes) -> str:
    """Return the charset label that the attributes of a `meta` declare; empty without one."""
    values = {
        match[1].lower(): (match[2] or match[3] or match[4] or b"").strip()
        for match in _META_ATTRIBUTE.finditer(attributes)
    }
    label = values.get(b"charset", b"")
    if not label and values.get(b"http-equiv", b"").lower() == b"content-type":
        match = _CONTENT_CHARSET.search(values.get(b"content", b""))
        label = match[1] if match else b""
    return label.decode("ascii", "ignore")


def _as_declared_or_detected(body: bytes, declared: list[str]) -> DecodedText:
    claims = [codec_of(label) for label in (*declared, *_declared_inside(body))]
    candidates = [codec for codec in claims if codec and codec != "utf-8"]
    candidates.sort(key=_TYPICAL_OF_SERVERS.__eq__)
    candidates.sort(key=_SINGLE_BYTE.__contains__)  # Almost any bytes fit these: they go last.
    detected = _detected(body)
    for codec in (*candidates, detected):
        decoded = _strictly(body, codec)
        if decoded is not None:
            return decoded
    return _leniently(body, (candidates or [detected])[0])


def _detected(body: bytes) -> str:
    """Return the codec that a detector finds for the texts between tags that are not ASCII."""
    foreign, size = [], 0
    for piece in body[: _CONFIG.detector_reach_bytes].split(b"<"):
        if not piece.isascii():
            foreign.append(piece[piece.find(b">") + 1 :])
            size += len(foreign[-1])
            if size > _CONFIG.detector_bytes:
                break
    sample = b" ".join(foreign)[: _CONFIG.detector_bytes] or body[: _CONFIG.detector_bytes]
    label = detect_encoding(sample, html5_compatible=False) or ""
    codec = codec_of(label) or "utf-8"
    return codec if codec != "utf-8" else "cp1252"


def _strictly(body: bytes, codec: str) -> DecodedText | None:
    """Return the text in one charset; None if more than a cut end of the page contradicts it."""
    for variant in (codec, *_VARIANTS.get(codec, ())):
        try:
            return DecodedText(body.decode(variant), codec, is_exact=True)
        except UnicodeDecodeError as error:
            is_cut = error.start >= len(body) - 3 and codec not in _SINGLE_BYTE
            if is_cut:
                return DecodedText(body[: error.start].decode(variant), codec, is_exact=False)
    if codec in _SINGLE_BYTE:
        return None
    text = body.decode(codec, errors="replace")
    valid, broken = _valid_and_broken(text)
    if valid > _CONFIG.claim_purity_ratio * broken:
        return DecodedText(text, codec, is_exact=False)
    return None


def _leniently(body: bytes, codec: str) -> DecodedText:
    """Return the text in one charset, whatever the bytes."""
    if codec == "cp1252":
        return DecodedText(
            codecs.charmap_decode(body, "strict", _windows_1252())[0], codec, is_exact=False
        )
    unit = 4 if codec.startswith("utf-32") else 2 if codec.startswith("utf-16") else 1
    text = body[: len(body) // unit * unit].decode(codec, errors="replace")
    return DecodedText(text, codec, is_exact="\ufffd" not in text)


def _valid_and_broken(text: str) -> tuple[int, int]:
    """Return the number of characters beyond ASCII and of those that stand for broken bytes."""
    broken = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) - broken, broken


@functools.cache
def _windows_1252() -> str:
    """Return the table of windows-1252, its five holes filled with control characters.

    The WHATWG Encoding Standard fills them so.
    """
    return "".join(bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(256))


# --- the web's names ------------------------------------------------------------------------

_CYRILLIC = ("cp866", "iso8859-5", "koi8-r", "koi8-u", "mac-cyrillic", "cp1251")
_SINGLE_BYTE = frozenset(
    (
        *(f"cp125{number}" for number in range(9)),
        *(f"iso8859-{number}" for number in (2, 3, 4, 6, 7, 8, 10, 13, 14, 15, 16)),
        *_CYRILLIC,
        "cp874",
        "mac-roman",
    )
)
_MULTI_BYTE = frozenset(("big5hkscs", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp", "utf-8"))
_CODECS = _SINGLE_BYTE | _MULTI_BYTE
_LARGER_CODECS = {
    name: larger
    for larger, names in {
        "cp1252": "ascii iso8859-1",
        "cp1254": "iso8859-9",
        "cp874": "iso8859-11 tis-620",
        "gb18030": "gb2312 gbk",
        "cp932": "shift_jis shift_jis_2004 shift_jisx0213",
        "cp949": "euc_kr johab",
        "euc_jp": "euc_jis_2004 euc_jisx0213",
        "iso2022_jp": "iso2022_jp_1 iso2022_jp_2 iso2022_jp_3 iso2022_jp_ext",
        "big5hkscs": "big5 cp950",
        # A label that is read in ASCII letters cannot mean UTF-16 or UTF-32.
        "utf-8": "utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be",
    }.items()
    for name in names.split()
}
_EXTRA_LABELS = {
    "ansi": "cp1252",
    "big5-eten": "big5",
    "windows-936": "gbk",
    "x-mac-cyrillic": "mac-cyrillic",
}
"""Labels that neither the web's standard nor Python knows, or not under this name."""
_VARIANTS = {
    "big5hkscs": ("cp950",),
    "euc_jp": ("euc_jis_2004",),
    "iso2022_jp": ("iso2022_jp_ext", "iso2022_jp_3"),
}
_WEB_NAMES = {
    "big5hkscs": "big5",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
    "utf-32-be": "utf-32be",
    "utf-32-le": "utf-32le",
}


_CONTROL_SPACES = pattern("[\x0b\x0c\x1c-\x1f]")
_CONTROLS = pattern("[\x00-\x08\x0e-\x1b\x7f]+")


def without_controls(text: str) -> tuple[str, int]:
    r"""Return the text without control characters, and the number of changed places.

    >>> without_controls("a\x0bb\x00\x01c")
    ('a bc', 2)
    """
    text, spaces = _CONTROL_SPACES.subn(" ", text)
    text, others = _CONTROLS.subn("", text)
    return text, spaces + others


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
    inflated: list[bytes] = []
    size = 0
    try:
        for piece in pieces(body):
            inflated.append(piece)
            size += len(piece)
            if size > limit:
                raise PageTooLarge(f"more than {limit} bytes when decompressed ({name})")
    except (zlib.error, zstandard.ZstdError, brotli.error, EOFError) as error:
        raise UnsupportedContent(f"the {name} stream is broken: {error}") from None
    return b"".join(inflated)


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
