"""Markup read tag by tag: flat where it nests too deep, no tag with too many attributes."""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from templ_core.dom.parse.nesting import Nesting
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


def flatten_markup(utf8: bytes, limits: ScanLimits = _LIMITS) -> bytes:
    """The markup, read tag by tag: flat where it nests too deep, no tag with too many attributes.

    Args:
        utf8: Markup in UTF-8.
        limits: What the parser is trusted with.

    Raises:
        HostilePage: too many tags.
    """
    most = limits.max_repaired_tags
    refuse_more(utf8, most, _ANY_TAG, "tags in a page that has to be repaired")
    text = utf8.decode()
    repaired = "".join(_repaired(text, limits))
    return utf8 if repaired is text else repaired.encode()


def refuse_more(utf8: bytes, most: int, tag: re.Pattern[bytes], what: str) -> None:
    """Count tags.

    Raises:
        HostilePage: more than `most`.
    """
    if utf8.count(b">") > most and next(islice(tag.finditer(utf8), most, None), None):
        raise HostilePage(f"more than {most} {what}")


def has_more_attributes(tag: str, most: int) -> bool:
    """Whether a tag has more than `most` attributes."""
    return _kept_end(tag, 0, len(tag), most) < len(tag)


_ANY_TAG = re.compile(rb"</?[a-zA-Z]")
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
