"""Repair of markup tag by tag: too deep elements and surplus attributes are left out."""

import re
from collections.abc import Iterator
from itertools import islice

from templ_core.dom.config import ScanConfig
from templ_core.dom.parse.nesting import Nesting
from templ_core.errors import HostilePage

_CONFIG = ScanConfig()


def flatten_markup(utf8: bytes, config: ScanConfig = _CONFIG) -> bytes:
    """Return the markup without elements that nest too deep and without surplus attributes.

    Args:
        utf8: Markup in UTF-8.
        config: What the parser is trusted with.

    Raises:
        HostilePage: There are too many tags.
    """
    most = config.repaired_tags_max
    refuse_more(utf8, most, _ANY_TAG, "tags in a page that has to be repaired")
    text = utf8.decode()
    repaired = "".join(_repaired(text, config))
    return utf8 if repaired is text else repaired.encode()


def refuse_more(utf8: bytes, most: int, tag: re.Pattern[bytes], what: str) -> None:
    """Refuse markup with too many tags.

    Args:
        utf8: Markup in UTF-8.
        most: Largest number of tags allowed.
        tag: Pattern of the beginning of a tag.
        what: What the tags are, for the error's message.

    Raises:
        HostilePage: There are more than `most`.
    """
    if utf8.count(b">") > most and next(islice(tag.finditer(utf8), most, None), None):
        raise HostilePage(f"more than {most} {what}")


def has_more_attributes(tag: str, most: int) -> bool:
    """Return whether a tag has more than `most` attributes."""
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


def _repaired(text: str, config: ScanConfig) -> Iterator[str]:
    """Yield the pieces of the repaired markup."""
    nesting = Nesting(config.depth_max, config.text_depth_max)
    written = at = 0
    while at >= 0 and (mark := _MARK.search(text, at)):
        if mark[2] is None:
            at = _after_comment(text, mark.start())
            continue
        tail = _TAIL.match(text, mark.end())
        if tail is None:  # The parser drops a tag that never ends.
            break
        at = tail.end()
        change = _change(text, mark, tail, nesting, config)
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
    text: str, mark: re.Match[str], tail: re.Match[str], nesting: Nesting, config: ScanConfig
) -> tuple[int, str] | None:
    """Return from where on a tag is to be replaced, and by what; None if it stays."""
    start, end = mark.start(), tail.end()
    name = mark[2].lower()
    if mark[1]:
        replacement = nesting.close(name)
    else:
        is_empty = name in _RAW_ENDS or _is_self_closing(tail[0])
        if name == "a" and nesting.close_link():
            nesting.open(name, is_empty=is_empty)
            kept = _kept_end(text, start, end, config.attributes_max)
            return start, "</a>" + text[start:kept] + (">" if kept < end else "")
        replacement = nesting.open(name, is_empty=is_empty)
    if replacement is not None:
        return start, replacement
    if end - start > config.long_tag_chars and not mark[1]:
        kept = _kept_end(text, start, end, config.attributes_max)
        if kept < end:
            return kept, ">"
    return None


def _after_comment(text: str, start: int) -> int:
    """Return where a comment, declaration or processing instruction is over; -1 if it never is."""
    if text.startswith("<!--", start):
        end = _COMMENT_END.search(text, start + 2)
        return end.end() if end else -1
    return text.find(">", start) + 1 or -1


def _is_self_closing(tail: str) -> bool:
    return tail == "/>" or (tail.endswith("/>") and tail[-3] in " \t\r\n\f\"'")


def _kept_end(text: str, start: int, end: int, most: int) -> int:
    """Return where a tag has to be cut: at its end unless it has more than `most` attributes."""
    name_end = _MARK.match(text, start)
    position = name_end.end() if name_end else start + 1
    attributes = _ATTRIBUTE.finditer(text, position, end)
    last = next(islice(attributes, most - 1, None), None)
    if last is None or next(attributes, None) is None:
        return end
    return last.end()
