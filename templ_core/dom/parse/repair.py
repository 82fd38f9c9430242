"""Repair of markup tag by tag: too deep elements and surplus attributes are left out.

It follows the parser's stack of open elements, and changes the markup where the stack would grow too high.
"""

import re
from collections.abc import Iterator

from templ_core.dom.config import ScanConfig
from templ_core.dom.parse.scan import end_of_tag, refuse_more
from templ_core.dom.tags import HEADING_LEVELS, INLINE, names
from templ_core.patterns import pattern

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


_ANY_TAG = pattern(rb"</?[a-zA-Z]")
_MARK = pattern(r"<(?:(/?)([a-zA-Z][^\s/>]*+)|[!?/])")
_TAIL = pattern(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_COMMENT_END = pattern(r"--!?>")
_RAW_ENDS = {
    name: pattern(rf"</{name}(?=[\s/>])[^<>]*+>", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}


def _repaired(text: str, config: ScanConfig) -> Iterator[str]:
    """Yield the pieces of the repaired markup."""
    nesting = _Nesting(config.depth_max, config.text_depth_max, config.surplus_depth)
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
            match = raw_end.search(text, at)
            at = match.end() if match else -1
    yield text[written:]


def _change(
    text: str, mark: re.Match[str], tail: re.Match[str], nesting: "_Nesting", config: ScanConfig
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


# --- the stack of open elements -------------------------------------------------------------

_HEADINGS = frozenset(HEADING_LEVELS)
_TEXT_HOLDERS = _HEADINGS | names("blockquote caption dd dt figcaption li option p pre td th tr")
_EMPTY = names("area base basefont br col frame hr img input isindex link meta param")
_ONCE = names("html head body")
"""Elements that keep only their first start tag; the parser ends them by itself."""
_P = names("p")
_PARAGRAPHS = names("address listing p pre")
_ROWS = names("caption colgroup p td th tr")
_IN_CELLS = names("a b font i p span td th u")
_LINES = names("listing p pre")
_CLOSED_BY: dict[str, frozenset[str] | set[str]] = {
    **dict.fromkeys(_HEADINGS, _P),
    **dict.fromkeys(names("blockquote caption dir div frameset hr listing ol title"), _P),
    "a": {"a"},
    "address": {"p", "ul"},
    "center": {"b", "font", "i", "p"},
    "col": {"caption", "p"},
    "colgroup": {"caption", "colgroup", "p"},
    "dd": _PARAGRAPHS | {"dir", "dt", "menu"},
    "dl": _PARAGRAPHS | {"dir", "dt", "menu"},
    "dt": _PARAGRAPHS | {"dd", "dir", "menu"},
    "fieldset": _HEADINGS | _LINES | {"a", "legend"},
    "form": _HEADINGS | _PARAGRAPHS | {"dir", "dl", "form", "menu", "ol", "ul"},
    "li": _HEADINGS | _PARAGRAPHS | {"dl", "li"},
    "menu": {"p", "ul"},
    "optgroup": {"option"},
    "option": {"option"},
    "p": _HEADINGS | {"b", "big", "i", "p", "s", "small", "strike", "tt", "u"},
    "pre": {"p", "ul"},
    "table": _HEADINGS | _LINES | {"a"},
    "tbody": _ROWS | {"tbody", "tfoot", "thead"},
    "td": _IN_CELLS,
    "tfoot": _ROWS | {"tbody", "thead"},
    "th": _IN_CELLS,
    "thead": {"caption", "colgroup"},
    "tr": _ROWS,
    "ul": _PARAGRAPHS | {"dir", "menu"},
}
"""For each start tag, the elements that it ends if one of them is the innermost open element.

Measured with libxml2 2.14.
"""
_STRENGTH = {
    "div": 1, "td": 2, "th": 2, "tr": 3, "thead": 4, "tbody": 4, "tfoot": 4, "table": 5,
}  # fmt: skip
"""Strengths of elements: an end tag does not end an element outside a stronger one."""


class _Nesting:
    """The parser's stack of open elements.

    Args:
        depth_max: Containers that may be open at once; further ones are left out.
        text_depth_max: Elements that hold lines of text and may be open at once.
        surplus_depth: Elements beyond these numbers that the start of another one may end.
    """

    def __init__(self, depth_max: int, text_depth_max: int, surplus_depth: int) -> None:
        self._depth_max = depth_max
        self._text_depth_max = text_depth_max
        self._surplus_depth = surplus_depth
        self._open: list[str] = []
        self._places: dict[str, list[int]] = {}
        self._left_out: dict[str, int] = {}
        self._seen: set[str] = set()

    def open(self, name: str, *, is_empty: bool) -> str | None:
        """Return what to write for a start tag; None for the tag itself.

        Args:
            name: Tag name in lower case.
            is_empty: Whether the tag closes itself.
        """
        if name in _ONCE:
            is_first = name not in self._seen and not is_empty
            self._seen.add(name)
            return None if is_first else ""
        depth = len(self._open)
        is_nested = not (is_empty or name in _EMPTY)
        most = self._text_depth_max if name in _TEXT_HOLDERS else self._depth_max
        if not is_nested or depth <= most + self._surplus_depth:
            closed = _CLOSED_BY.get(name, frozenset())
            while depth and self._open[depth - 1] in closed:
                depth -= 1
        if is_nested and depth >= most:
            self._left_out[name] = self._left_out.get(name, 0) + 1
            return _instead_of(name)
        self._cut(depth)
        if is_nested:
            self._places.setdefault(name, []).append(depth)
            self._open.append(name)
        return None

    def close_link(self) -> bool:
        """End the open link, as the start of another one does; return whether there was one."""
        places = self._places.get("a")
        if not places or self._is_held("a", places[-1]):
            return False
        self._cut(places[-1])
        return True

    def close(self, name: str) -> str | None:
        """Return what to write for an end tag; None for the tag itself."""
        if self._left_out.get(name):
            self._left_out[name] -= 1
            return _instead_of(name)
        if name in _EMPTY:
            return None
        places = self._places.get(name)
        if not places or self._is_held(name, places[-1]):
            return ""
        self._cut(places[-1])
        return None

    def _is_held(self, name: str, place: int) -> bool:
        """Return whether a stronger element stands between an element and the innermost one."""
        strength = _STRENGTH.get(name, 0)
        return any(
            stands and stands[-1] > place
            for other, its_strength in _STRENGTH.items()
            if its_strength > strength and (stands := self._places.get(other))
        )

    def _cut(self, depth: int) -> None:
        while len(self._open) > depth:
            self._places[self._open.pop()].pop()


def _instead_of(name: str) -> str:
    """Return a line break for a block's tag, which keeps apart what the tag kept apart."""
    return "" if name in INLINE else "<br>"
