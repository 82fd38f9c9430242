"""The parser's stack of open elements, foreseen, and what to write where it grows too high."""

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_TEXT_HOLDERS = _HEADINGS | {
    "blockquote", "caption", "dd", "dt", "figcaption", "li", "option", "p", "pre", "td", "th", "tr",
}  # fmt: skip
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
_EMPTY = frozenset(
    (
        *("area", "base", "basefont", "br", "col", "frame", "hr", "img", "input", "isindex"),
        *("link", "meta", "param"),
    )
)
_ONCE = frozenset(("html", "head", "body"))
"""Elements of which only the first start tag is kept; the parser ends them by itself."""
_PARAGRAPHS = frozenset(("address", "listing", "p", "pre"))
_ROWS = frozenset(("caption", "colgroup", "p", "td", "th", "tr"))
_IN_CELLS = frozenset(("a", "b", "font", "i", "p", "span", "td", "th", "u"))
_LINES = frozenset(("listing", "p", "pre"))
_CLOSED_BY: dict[str, frozenset[str]] = {
    "a": frozenset(("a",)),
    "address": frozenset(("p", "ul")),
    "center": frozenset(("b", "font", "i", "p")),
    "col": frozenset(("caption", "p")),
    "colgroup": frozenset(("caption", "colgroup", "p")),
    "dd": _PARAGRAPHS | {"dir", "dt", "menu"},
    "dl": _PARAGRAPHS | {"dir", "dt", "menu"},
    "dt": _PARAGRAPHS | {"dd", "dir", "menu"},
    "fieldset": _HEADINGS | _LINES | {"a", "legend"},
    "form": _HEADINGS | _PARAGRAPHS | {"dir", "dl", "form", "menu", "ol", "ul"},
    "li": _HEADINGS | _PARAGRAPHS | {"dl", "li"},
    "menu": frozenset(("p", "ul")),
    "optgroup": frozenset(("option",)),
    "option": frozenset(("option",)),
    "p": _HEADINGS | {"b", "big", "i", "p", "s", "small", "strike", "tt", "u"},
    "pre": frozenset(("p", "ul")),
    "table": _HEADINGS | _LINES | {"a"},
    "tbody": _ROWS | {"tbody", "tfoot", "thead"},
    "td": _IN_CELLS,
    "tfoot": _ROWS | {"tbody", "thead"},
    "th": _IN_CELLS,
    "thead": frozenset(("caption", "colgroup")),
    "tr": _ROWS,
    "ul": _PARAGRAPHS | {"dir", "menu"},
    **dict.fromkeys(
        (
            *_HEADINGS,
            *("blockquote", "caption", "dir", "div", "frameset", "hr", "listing", "ol", "title"),
        ),
        frozenset(("p",)),
    ),
}
"""For each start tag, the elements that it ends if one of them is the innermost open element.

Measured with libxml2 2.14.
"""
_STRENGTH = {
    "div": 1, "td": 2, "th": 2, "tr": 3, "thead": 4, "tbody": 4, "tfoot": 4, "table": 5,
}  # fmt: skip
"""Strengths of elements: an end tag does not end an element outside a stronger one."""


class Nesting:
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
    return "" if name in _INLINE else "<br>"
