"""A linear look at markup before the parser sees it: what would stall it, or make it lose text.

The parser (libxml2) compares every attribute of a tag with all others, walks the whole stack of
open elements for a stray end tag, gives up the rest of a document that nests 2048 deep, begins a
second document after `</html>`, and takes all that follows an unclosed comment or title for a part
of it. Markup that does none of this passes after a few searches; the
rest is read tag by tag and repaired so that no text is lost.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from templ_core.dom.nesting import Nesting
from templ_core.errors import HostilePage


class ScanLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What markup the parser is trusted with."""

    max_depth: int = 512
    """Containers open at once, as in browsers; a page that is repaired is made flat below."""
    max_text_depth: int = 768
    """The same for elements that hold lines of text, such as paragraphs."""
    trusted_depth: int = 1900
    """What nests less is left as it is; libxml2 gives up at 2048."""
    max_attributes: int = 512
    """Attributes of one tag; the rest is dropped."""
    max_elements: int = 1_500_000
    """Elements of a page; 1 kB of memory each."""
    max_repaired_tags: int = 1_000_000
    """Tags of a page that has to be read tag by tag; 3 microseconds each."""


_LIMITS = ScanLimits()
_LARGE_CHARS = 400_000
"""From here on a page can stall the parser for more than a second by its number of tags."""
_VERY_LARGE_CHARS = 1_000_000
"""From here on also by many tags of a few thousand characters."""
_TAGS_PER_PIECE = 64
_MAX_STEPS = 100_000_000
"""Open elements that stray end tags may be compared with: about half a second."""
_HARMLESS_TAGS = 20_000
"""Half of them end tags, compared with the other half: no more steps than that."""


def scan_markup(text: str, limits: ScanLimits = _LIMITS, *, parser_reports: bool = False) -> str:
    """The markup, repaired where the parser cannot be trusted with it.

    Args:
        text: Markup of a page.
        limits: What the parser is trusted with.
        parser_reports: The caller looks afterwards whether the parser reports too great a depth
            or a second root element, and then calls `flatten_markup` or `join_documents`; the
            searches for these, dearer than all the rest, are left out.

    Raises:
        HostilePage: too many elements.
    """
    text = _with_comments_ended(_with_title_ended(text))
    if not parser_reports and _ends_early(text):
        text = join_documents(text)
    if len(text) > _LARGE_CHARS or not parser_reports:
        marks = text.count("<")
        harmless = _HARMLESS_TAGS if parser_reports else limits.trusted_depth
        if marks > harmless and _is_tangled(text, marks, limits):
            return flatten_markup(text, limits)
    return flatten_markup(text, limits) if _has_long_tag(text, limits) else text


def join_documents(text: str) -> str:
    """The markup without the ends of documents, so that what follows one belongs to it."""
    return _DOCUMENT_ENDS.sub("", text)


def flatten_markup(text: str, limits: ScanLimits = _LIMITS) -> str:
    """The markup, read tag by tag: flat where it nests too deep, no tag with too many attributes.

    Raises:
        HostilePage: too many tags.
    """
    _refuse_more(text, limits.max_repaired_tags, _ANY_TAG, "tags in a page that has to be repaired")
    return "".join(_repaired(text, limits))


# --- what never ends ------------------------------------------------------------------------

_TITLE_START = re.compile(r"<title\b[^<>]*+>", re.IGNORECASE)
_NEXT_TAG = re.compile(r"<[a-zA-Z/!]")


def _with_title_ended(text: str) -> str:
    """The markup with a title that does not end before the next tag ended there."""
    at = text.find("<title")
    at = at if at >= 0 else text.find("<TITLE")
    start = _TITLE_START.match(text, at) if at >= 0 else None
    if start is None:
        return text
    end = text.find("</", start.end())
    if end >= 0 and text[end + 2 : end + 7].lower() == "title":
        return text
    tag = _NEXT_TAG.search(text, start.end())
    return f"{text[: tag.start()]}</title>{text[tag.start() :]}" if tag else text


def _with_comments_ended(text: str) -> str:
    """The markup with comments that never end ended at their next `>`, as old browsers did."""
    last = text.rfind("<!--")
    if last < 0 or text.find("-->", last) >= 0:
        return text
    written = text.rfind("-->") + 1
    pieces = [text[:written]]
    while (start := text.find("<!--", written)) >= 0 and (end := text.find(">", start + 4)) >= 0:
        pieces.append(text[written:end])
        if text[end - 3 : end] != "--!":
            pieces.append("--")
        written = end
    return "".join([*pieces, text[written:]])


# --- the first look -------------------------------------------------------------------------

_DOCUMENT_END = re.compile(r"</[hH][tT][mM][lL]\b[^<>]*+>")
_DOCUMENT_ENDS = re.compile(r"</(?:html|body)\b[^<>]*+>", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:\s++|<!--(?:[^-]++|-(?!->))*+-->|</(?:body|html)\b[^<>]*+>)*+", re.IGNORECASE
)
_TAG_START = re.compile(r"<[a-zA-Z]")
_ANY_TAG = re.compile(r"</?[a-zA-Z]")
_TAG = re.compile(r"<[a-zA-Z](?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?")


def _ends_early(text: str) -> bool:
    """Whether content follows an end of the document."""
    found = _DOCUMENT_END.search(text)
    rest = _NOTHING.match(text, found.end()) if found else None
    return rest is not None and rest.end() < len(text)


def _is_tangled(text: str, marks: int, limits: ScanLimits) -> bool:
    """Whether too much is open at once, or too many end tags may be compared with too much."""
    closing = text.count("</")
    opening = marks - closing
    if opening > limits.max_elements:
        _refuse_more(text, limits.max_elements, _TAG_START, "elements")
    highest = opening
    if opening > limits.trusted_depth:
        highest = _most_open(text, opening, limits.trusted_depth)
    return highest > limits.trusted_depth or highest * closing > _MAX_STEPS


def _refuse_more(text: str, most: int, tag: re.Pattern[str], what: str) -> None:
    if text.count(">") > most and next(islice(tag.finditer(text), most, None), None):
        raise HostilePage(f"more than {most} {what}")


def _most_open(text: str, opening: int, enough: int) -> int:
    """How many elements may be open at once; does not count further than `enough`.

    Start tags minus end tags, piece by piece. Elements without end tags count as open: that errs
    on the safe side.
    """
    size = max(len(text) * _TAGS_PER_PIECE // opening, 64)
    is_open = highest = 0
    for start in range(0, len(text), size):
        closes = text.count("</", start, start + size + 1)
        opens = text.count("<", start, start + size) - closes
        highest = max(highest, is_open + opens)
        if highest > enough:
            break
        is_open = max(is_open + opens - closes, 0)
    return highest


def _has_long_tag(text: str, limits: ScanLimits) -> bool:
    """Whether a tag has more attributes than allowed; sees every tag of two windows' length.

    Such a tag fills a window in which nothing ends, or in which nothing begins.
    """
    find = text.find
    size = 4000 if len(text) < _VERY_LARGE_CHARS else 500
    seen = 0
    for start in range(0, len(text), size):
        end = start + size
        if start < seen or (find(">", start, end) >= 0 and find("<", start, end) >= 0):
            continue
        begin = text.rfind("<", max(start - size, 0), start + 1)
        tag = _TAG.match(text, begin) if begin >= 0 else None
        if tag is not None:
            seen = tag.end()
            if seen > start and _kept_end(text, begin, seen, limits.max_attributes) < seen:
                return True
    return False


# --- tag by tag -----------------------------------------------------------------------------

_MARK = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*+)|[!?/])")
_TAIL = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_ATTRIBUTE = re.compile(r"[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+")
_COMMENT_END = re.compile(r"--!?>")
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[\s/>])[^<>]*+>", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}
_LONG_TAG_CHARS = 1000


def _repaired(text: str, limits: ScanLimits) -> Iterator[str]:
    """The pieces of the repaired markup."""
    nesting = Nesting(limits.max_depth, limits.max_text_depth)
    written = at = 0
    while at >= 0 and (mark := _MARK.search(text, at)):
        if mark[2] is None:
            at = _after_comment(text, mark.start())
            continue
        tail = _TAIL.match(text, mark.end())
        if tail is None:  # the parser drops a tag that never ends
            break
        at = tail.end()
        change = _change(text, mark, tail, nesting, limits)
        if change is not None:
            start, replacement = change
            yield text[written:start]
            yield replacement
            written = at
        raw_end = None if mark[1] else _RAW_ENDS.get(mark[2].lower())
        if raw_end is not None and not _is_self_closing(tail[0]):
            found = raw_end.search(text, at)
            at = found.end() if found else -1
    yield text[written:]


def _change(
    text: str, mark: re.Match[str], tail: re.Match[str], nesting: Nesting, limits: ScanLimits
) -> tuple[int, str] | None:
    """From where on a tag is to be replaced, and by what; None = it stays."""
    start, end = mark.start(), tail.end()
    name = mark[2].lower()
    if mark[1]:
        replacement = nesting.close(name)
    else:
        is_empty = name in _RAW_ENDS or _is_self_closing(tail[0])
        if name == "a" and nesting.close_link():
            nesting.open(name, is_empty=is_empty)
            kept = _kept_end(text, start, end, limits.max_attributes)
            return start, "</a>" + text[start:kept] + (">" if kept < end else "")
        replacement = nesting.open(name, is_empty=is_empty)
    if replacement is not None:
        return start, replacement
    if end - start > _LONG_TAG_CHARS and not mark[1]:
        kept = _kept_end(text, start, end, limits.max_attributes)
        if kept < end:
            return kept, ">"
    return None


def _after_comment(text: str, start: int) -> int:
    """Where a comment, a declaration or a processing instruction is over; -1 = never."""
    if text.startswith("<!--", start):
        end = _COMMENT_END.search(text, start + 2)
        return end.end() if end else -1
    return text.find(">", start) + 1 or -1


def _is_self_closing(tail: str) -> bool:
    return tail == "/>" or (tail.endswith("/>") and tail[-3] in " \t\r\n\f\"'")


def _kept_end(text: str, start: int, end: int, most: int) -> int:
    """Where a tag has to be cut: `end` unless it has more than `most` attributes."""
    name_end = _MARK.match(text, start)
    position = name_end.end() if name_end else start + 1
    attributes = _ATTRIBUTE.finditer(text, position, end)
    last = next(islice(attributes, most - 1, None), None)
    if last is None or next(attributes, None) is None:
        return end
    return last.end()
