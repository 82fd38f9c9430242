"""What is open while the parser reads a page, and what to write where too much is."""

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
_NEVER_NESTED = frozenset(("html", "head", "body"))
_AT_PARAGRAPH = frozenset(("p", "pre", "address"))
_CLOSED_BY = {
    "a": {"a"},
    "address": {"p", "ul"},
    "blockquote": {"p"},
    "caption": {"p"},
    "center": {"b", "font", "i", "p"},
    "dd": _AT_PARAGRAPH | {"dt"},
    "div": {"p"},
    "dl": _AT_PARAGRAPH | {"dt"},
    "dt": _AT_PARAGRAPH | {"dd"},
    "fieldset": _HEADINGS | {"a", "legend", "p", "pre"},
    "form": _HEADINGS | _AT_PARAGRAPH | {"dl", "form", "ol", "ul"},
    "li": _HEADINGS | _AT_PARAGRAPH | {"dl", "li"},
    "ol": {"p"},
    "optgroup": {"option"},
    "option": {"option"},
    "p": _HEADINGS | {"b", "big", "i", "p", "small", "u"},
    "pre": {"p", "ul"},
    "table": _HEADINGS | {"a", "p", "pre"},
    "tbody": {"caption", "p", "tbody", "td", "tfoot", "th", "thead", "tr"},
    "td": {"a", "b", "font", "i", "p", "span", "td", "th", "u"},
    "tfoot": {"caption", "p", "tbody", "td", "th", "thead", "tr"},
    "th": {"a", "b", "font", "i", "p", "span", "td", "th", "u"},
    "thead": {"caption"},
    "tr": {"caption", "p", "td", "th", "tr"},
    "ul": _AT_PARAGRAPH,
    **{name: frozenset(("p",)) for name in _HEADINGS},
}
"""Start tag -> elements it ends if one of them is the innermost one (libxml2 2.14, measured)."""
_STRENGTH = {
    "div": 1, "td": 2, "th": 2, "tr": 3, "thead": 4, "tbody": 4, "tfoot": 4, "table": 5,
}  # fmt: skip
"""An end tag does not reach out of an element that is stronger than its own."""


class Nesting:
    """The parser's stack of open elements.

    Args:
        max_depth: Containers that may be open at once; further ones are left out.
        max_text_depth: The same for elements that hold lines of text.
    """

    def __init__(self, max_depth: int, max_text_depth: int) -> None:
        self._max_depth = max_depth
        self._max_text = max_text_depth
        self._open: list[str] = []
        self._places: dict[str, list[int]] = {}
        self._left_out: dict[str, int] = {}

    def open(self, name: str, *, is_empty: bool) -> str | None:
        """What to write for a start tag; None = the tag itself.

        Args:
            name: Tag name in lower case.
            is_empty: Whether the tag closes itself.
        """
        if name in _EMPTY or name in _NEVER_NESTED:
            return None
        closed = _CLOSED_BY.get(name)
        while closed and self._open and self._open[-1] in closed:
            self._pop()
        if is_empty:
            return None
        if len(self._open) >= (self._max_text if name in _TEXT_HOLDERS else self._max_depth):
            self._left_out[name] = self._left_out.get(name, 0) + 1
            return _instead_of(name)
        self._places.setdefault(name, []).append(len(self._open))
        self._open.append(name)
        return None

    def close(self, name: str) -> str | None:
        """What to write for an end tag; None = the tag itself."""
        if self._left_out.get(name):
            self._left_out[name] -= 1
            return _instead_of(name)
        if name in _EMPTY or name in _NEVER_NESTED:
            return None
        places = self._places.get(name)
        if not places or self._is_held(name, places[-1]):
            return ""
        for _ in range(len(self._open) - places[-1]):
            self._pop()
        return None

    def _is_held(self, name: str, place: int) -> bool:
        """Whether a stronger element stands between an element and the innermost one."""
        strength = _STRENGTH.get(name, 0)
        return any(
            stands and stands[-1] > place
            for other, its_strength in _STRENGTH.items()
            if its_strength > strength and (stands := self._places.get(other))
        )

    def _pop(self) -> None:
        self._places[self._open.pop()].pop()


def _instead_of(name: str) -> str:
    """A line break keeps apart what the tag kept apart."""
    return "" if name in _INLINE else "<br>"
