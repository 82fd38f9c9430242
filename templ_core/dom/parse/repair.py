"""Repair of markup tag by tag: too deep elements and surplus attributes are left out."""

import re
from collections.abc import Iterator

from templ_core.dom.config import ScanConfig
from templ_core.dom.parse.nesting import Nesting
from templ_core.dom.parse.scan import end_of_tag, refuse_more

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


_ANY_TAG = re.compile(rb"</?[a-zA-Z]")
_MARK = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*+)|[!?/])")
_TAIL = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_COMMENT_END = re.compile(r"--!?>")
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[\s/>])[^<>]*+>", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}


def _repaired(text: str, config: ScanConfig) -> Iterator[str]:
    """Yield the pieces of the repaired markup."""
    nesting = Nesting(config.depth_max, config.text_depth_max, config.surplus_depth)
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
            kept = end_of_tag(text, start, end, config.attributes_max)
            return start, "</a>" + text[start:kept] + (">" if kept < end else "")
        replacement = nesting.open(name, is_empty=is_empty)
    if replacement is not None:
        return start, replacement
    if end - start > config.long_tag_chars and not mark[1]:
        kept = end_of_tag(text, start, end, config.attributes_max)
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
