"""A linear look at markup before the parser sees it: what would stall it, or make it lose text.

The parser (libxml2) compares every attribute of a tag with all others, walks the whole stack of
open elements for a stray end tag, gives up the rest of a document that nests 2048 deep, begins a
second document after `</html>`, and takes all that follows an unclosed comment or title for a part
of it. Markup that does none of this passes after a few searches; the rest is repaired so that no
text is lost, where need be tag by tag (`templ_core.dom.parse.repair`). All markup is UTF-8.
"""

import re

from templ_core.dom.decode._bytes import windows_without_tags
from templ_core.dom.parse.repair import ScanLimits, flatten_markup, has_more_attributes, refuse_more

_LIMITS = ScanLimits()
_LARGE_BYTES = 400_000
"""From here on a page can stall the parser for more than a second by its number of tags."""
_VERY_LARGE_BYTES = 1_000_000
"""From here on also by many tags of a few thousand bytes."""
_TAGS_PER_PIECE = 64
_MAX_STEPS = 100_000_000
"""Open elements that stray end tags may be compared with: about half a second."""
_HARMLESS_TAGS = 20_000
"""Half of them end tags, compared with the other half: no more steps than that."""


def scan_markup(
    markup: bytes, limits: ScanLimits = _LIMITS, *, parser_reports: bool = False
) -> bytes:
    """The markup, repaired where the parser cannot be trusted with it.

    Args:
        markup: Markup of a page.
        limits: What the parser is trusted with.
        parser_reports: The caller looks afterwards whether the parser reports too great a depth
            or a second root element, and then calls `flatten_markup` or `join_documents`; the
            searches for these, dearer than all the rest, are left out.

    Raises:
        HostilePage: too many elements.
    """
    markup = _with_comments_ended(_with_title_ended(markup))
    if not parser_reports and _ends_early(markup):
        markup = join_documents(markup)
    stalls = _stalls(markup, limits, parser_reports=parser_reports)
    return flatten_markup(markup, limits) if stalls else markup


def needs_repair(markup: bytes, limits: ScanLimits = _LIMITS) -> bool:
    """Whether `scan_markup` changes markup although the parser's reports are looked at.

    Raises:
        HostilePage: too many elements.
    """
    is_whole = _with_comments_ended(_with_title_ended(markup)) is markup
    return not is_whole or _stalls(markup, limits, parser_reports=True)


def _stalls(markup: bytes, limits: ScanLimits, *, parser_reports: bool) -> bool:
    if len(markup) > _LARGE_BYTES or not parser_reports:
        marks = markup.count(b"<")
        harmless = _HARMLESS_TAGS if parser_reports else limits.trusted_depth
        if marks > harmless and _is_tangled(markup, marks, limits):
            return True
    return _has_long_tag(markup, limits)


def join_documents(markup: bytes) -> bytes:
    """The markup without the ends of documents, so that what follows one belongs to it."""
    return _DOCUMENT_ENDS.sub(b"", markup)


# --- what never ends ------------------------------------------------------------------------

_TITLE_START = re.compile(rb"<title\b[^<>]*+>", re.IGNORECASE)
_NEXT_TAG = re.compile(rb"<[a-zA-Z/!]")


def _with_title_ended(markup: bytes) -> bytes:
    """The markup with a title that does not end before the next tag ended there."""
    at = markup.find(b"<title")
    at = at if at >= 0 else markup.find(b"<TITLE")
    start = _TITLE_START.match(markup, at) if at >= 0 else None
    if start is None:
        return markup
    end = markup.find(b"</", start.end())
    if end >= 0 and markup[end + 2 : end + 7].lower() == b"title":
        return markup
    tag = _NEXT_TAG.search(markup, start.end())
    if tag is None:
        return markup
    return b"</title>".join((markup[: tag.start()], markup[tag.start() :]))


def _with_comments_ended(markup: bytes) -> bytes:
    """The markup with comments that never end ended at their next `>`, as old browsers did."""
    last = markup.rfind(b"<!--")
    if last < 0 or markup.find(b"-->", last) >= 0:
        return markup
    written = markup.rfind(b"-->") + 1
    pieces = [markup[:written]]
    while (start := markup.find(b"<!--", written)) >= 0 and (
        end := markup.find(b">", start + 4)
    ) >= 0:
        pieces.append(markup[written:end])
        if markup[end - 3 : end] != b"--!":
            pieces.append(b"--")
        written = end
    return b"".join([*pieces, markup[written:]])


# --- the first look -------------------------------------------------------------------------

_DOCUMENT_END = re.compile(rb"</[hH][tT][mM][lL]\b[^<>]*+>")
_DOCUMENT_ENDS = re.compile(rb"</(?:html|body)\b[^<>]*+>", re.IGNORECASE)
_NOTHING = re.compile(
    rb"(?:\s++|<!--(?:[^-]++|-(?!->))*+-->|</(?:body|html)\b[^<>]*+>)*+", re.IGNORECASE
)
_TAG_START = re.compile(rb"<[a-zA-Z]")
_TAG = re.compile(rb"<[a-zA-Z](?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?")


def _ends_early(markup: bytes) -> bool:
    """Whether content follows an end of the document."""
    found = _DOCUMENT_END.search(markup)
    rest = _NOTHING.match(markup, found.end()) if found else None
    return rest is not None and rest.end() < len(markup)


def _is_tangled(markup: bytes, marks: int, limits: ScanLimits) -> bool:
    """Whether too much is open at once, or too many end tags may be compared with too much."""
    closing = markup.count(b"</")
    opening = marks - closing
    if opening > limits.max_elements:
        refuse_more(markup, limits.max_elements, _TAG_START, "elements")
    highest = opening
    if opening > limits.trusted_depth:
        highest = _most_open(markup, opening, limits.trusted_depth)
    return highest > limits.trusted_depth or highest * closing > _MAX_STEPS


def _most_open(markup: bytes, opening: int, enough: int) -> int:
    """How many elements may be open at once; does not count further than `enough`.

    Start tags minus end tags, piece by piece. Elements without end tags count as open: that errs
    on the safe side.
    """
    size = max(len(markup) * _TAGS_PER_PIECE // opening, 64)
    is_open = highest = 0
    for start in range(0, len(markup), size):
        closes = markup.count(b"</", start, start + size + 1)
        opens = markup.count(b"<", start, start + size) - closes
        highest = max(highest, is_open + opens)
        if highest > enough:
            break
        is_open = max(is_open + opens - closes, 0)
    return highest


def _has_long_tag(markup: bytes, limits: ScanLimits) -> bool:
    """Whether a tag has more attributes than allowed; sees every tag of two windows' length.

    Such a tag fills a window in which nothing ends, or in which nothing begins.
    """
    size = 4000 if len(markup) < _VERY_LARGE_BYTES else 500
    seen = 0
    for start in windows_without_tags(markup, size):
        begin = markup.rfind(b"<", max(start - size, 0), start + 1) if start >= seen else -1
        tag = _TAG.match(markup, begin) if begin >= 0 else None
        if tag is not None:
            seen = tag.end()
            if seen > start and has_more_attributes(tag[0].decode(), limits.max_attributes):
                return True
    return False
