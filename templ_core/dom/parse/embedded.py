"""Texts that a browser shows in place of an element: formulas, documents in frames, shadow roots, HTML in drawings.

They become elements that are read like all others. Of a formula that is `formula`, or `formula-block` where it has a
line of its own, with the TeX that the page has or else a plain form of its MathML.
"""

import html
import re
from collections.abc import Callable, Iterator

from templ_core.dom.parse.formulas import tex_of
from templ_core.patterns import pattern

_ATTRIBUTES = rb"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+"""
_VALUE = rb"""\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))"""


def with_embedded(utf8: bytes) -> bytes:
    """Return markup in which texts that stand in place of elements are text of the page.

    Args:
        utf8: Markup in UTF-8.

    >>> with_embedded(b"<p>So <math><mi>F</mi><mo>=</mo><mi>m</mi></math> holds.")
    b'<p>So <formula>F=m</formula> holds.'
    >>> with_embedded(b'<iframe srcdoc="&lt;p&gt;text&lt;/p&gt;"></iframe>')
    b'<embedded-document><p>text</p></embedded-document><iframe srcdoc="&lt;p&gt;text&lt;/p&gt;"></iframe>'
    """
    utf8 = _FRAME.sub(_with_document, utf8)
    utf8 = _with_shadow_roots(utf8)
    utf8 = _FOREIGN_OBJECT.sub(rb"</svg><foreign-object>", utf8)
    utf8 = _FOREIGN_OBJECT_END.sub(rb"</foreign-object><svg>", utf8)
    return b"".join(_with_formulas(utf8))


# --- frames, shadow roots and drawings ----------------------------------------------------------

_FRAME = pattern(rb"<iframe\b(" + _ATTRIBUTES + rb")>", re.IGNORECASE)
_DOCUMENT = pattern(rb"(?<![\w-])srcdoc" + _VALUE, re.IGNORECASE)
_UNSEEN = pattern(rb"(?<![\w-])hidden(?![\w-])|display\s*:\s*none", re.IGNORECASE)
_NO_BODY = pattern(
    rb"<(script|style|title|head)\b" + _ATTRIBUTES + rb">.*?</\1\s*+>"
    rb"|</?(?:html|head|body|script|style|iframe|frameset|!doctype)\b" + _ATTRIBUTES + rb">",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = pattern(rb"<(/?)template\b(" + _ATTRIBUTES + rb")>", re.IGNORECASE)
_SHADOW_ROOT = pattern(rb"\bshadowrootmode\s*+=\s*+[\"']?(?:open|closed)\b", re.IGNORECASE)
_FOREIGN_OBJECT = pattern(rb"<foreignObject\b" + _ATTRIBUTES + rb">", re.IGNORECASE)
_FOREIGN_OBJECT_END = pattern(rb"</foreignObject\s*+>", re.IGNORECASE)


def _with_document(frame: re.Match[bytes]) -> bytes:
    """Return the start of a frame behind the document that it shows."""
    match = _DOCUMENT.search(frame[1])
    if match is None or _UNSEEN.search(_DOCUMENT.sub(b"", frame[1])):
        return frame[0]
    document = _text(_value(match)).encode()
    return b"<embedded-document>%b</embedded-document>%b" % (_NO_BODY.sub(b"", document), frame[0])


def _value(attribute: re.Match[bytes]) -> bytes:
    """Return the value of an attribute that `_VALUE` matched last."""
    return next((value for value in attribute.groups()[-3:] if value is not None), b"")


def _with_shadow_roots(utf8: bytes) -> bytes:
    """Return markup in which templates that a browser attaches to their elements are elements."""
    shown: list[bool] = []

    def as_element(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root>" if shown and shown.pop() else tag[0]
        is_shown = _SHADOW_ROOT.search(tag[2]) is not None and all(shown[-1:])
        shown.append(is_shown)
        return b"<shadow-root>" if is_shown else tag[0]

    return _TEMPLATE.sub(as_element, utf8)


# --- formulas -----------------------------------------------------------------------------------

_CLASS = rb"\bclass\s*+=\s*+[\"']?[^\"'>]*?(?<![\w-])"
_FORMULA = pattern(
    rb"<math\b(?P<math>" + _ATTRIBUTES + rb")>"
    rb"|<script\b(?P<script>" + _ATTRIBUTES + rb")>"
    rb"|<(?P<wrapper>span|div|mjx-container)\b(?=[^>]*" + _CLASS
    + rb"(?:katex(?:-display)?|MathJax\w*|mwe-math-element)(?![\w-]))(?P<wrapped>" + _ATTRIBUTES + rb")>"
    rb"|<img\b(?=[^>]*" + _CLASS + rb"(?:tex|latex|mwe-math[\w-]*)(?![\w-]))(?P<image>" + _ATTRIBUTES + rb")>",
    re.IGNORECASE,
)  # fmt: skip
_MATH = pattern(rb"<math\b(" + _ATTRIBUTES + rb")>", re.IGNORECASE)
_MATH_END = pattern(rb"</math\s*+>", re.IGNORECASE)
_SCRIPT_END = pattern(rb"</script\s*+>", re.IGNORECASE)
_TEX_SCRIPT = pattern(
    rb"\btype\s*+=\s*+[\"']?math/(tex|asciimath|mml)\s*+(;\s*+mode\s*+=\s*+display)?", re.IGNORECASE
)
_TEX_FOLLOWS = pattern(
    rb"(?:\s|</(?:span|div)\s*+>)*+<script\b[^>]*\btype\s*+=\s*+[\"']?math/", re.IGNORECASE
)
_CDATA = pattern(r"(?m)^\s*%?\s*(?:<!\[CDATA\[|\]\]>)\s*$|%\s*<!\[CDATA\[|%\s*\]\]>")
_ALT = pattern(rb"(?<![\w-])alt" + _VALUE, re.IGNORECASE)
_IS_DISPLAY = pattern(rb"\bdisplay\s*+=\s*+[\"']?(?:block|true)\b", re.IGNORECASE)
_DISPLAYS = pattern(
    rb"katex-display|MathJax_Display|mwe-math-fallback-image-display", re.IGNORECASE
)
_PREVIEWS = pattern(rb"MathJax_Preview", re.IGNORECASE)


def _with_formulas(utf8: bytes) -> Iterator[bytes]:
    """Yield the pieces of markup in which each formula is one element, written once."""
    written = at = 0
    ends: dict[bytes, Callable[[int], int]] = {}
    while formula := _FORMULA.search(utf8, at):
        start, at = formula.span()
        name = (formula["wrapper"] or b"").lower()
        end, replacement = at, None
        if formula["image"] is not None:
            alt = _ALT.search(formula["image"])
            replacement = _element(_text(_value(alt)) if alt else "", formula["image"])
        elif formula["script"] is not None:
            type_ = _TEX_SCRIPT.search(formula["script"])
            script_end = _SCRIPT_END.search(utf8, at) if type_ else None
            if type_ and script_end:
                end = script_end.end()
                body = utf8[at : script_end.start()]
                if type_[1].lower() == b"mml":
                    tex = tex_of(body)
                else:
                    tex = _CDATA.sub("", body.decode(errors="replace"))
                replacement = _element(tex, b"katex-display" if type_[2] else b"")
        elif formula["math"] is not None:
            math_end = _MATH_END.search(utf8, at)
            if math_end is None:  # Without an end, no formula behind it has one either.
                break
            end = math_end.end()
            replacement = _element(tex_of(utf8[start:end]), formula["math"])
        else:
            end_of = ends.setdefault(name, _EndsOfElements(utf8, name).end_of)
            end = end_of(start)
            replacement = None if end < 0 else _of_wrapper(utf8, formula, at, end)
        if replacement is not None:
            yield utf8[written:start]
            yield replacement
            written = at = end
    yield utf8[written:]


def _of_wrapper(utf8: bytes, wrapper: re.Match[bytes], at: int, end: int) -> bytes | None:
    """Return what stands for an element that shows a formula beside its source; None if it has no source."""
    names = wrapper["wrapped"]
    if _PREVIEWS.search(names):
        return b""
    if _TEX_FOLLOWS.match(utf8, end):
        return b""
    math = _MATH.search(utf8, at, end)
    math_end = _MATH_END.search(utf8, math.end(), end) if math else None
    if math and math_end:
        marks = names if _DISPLAYS.search(names) or _IS_DISPLAY.search(names) else math[1]
        return _element(tex_of(utf8[math.start() : math_end.end()]), marks)
    return None


def _element(tex: str, marks: bytes) -> bytes:
    """Return a formula as an element; `marks` are attributes that say whether it has a line of its own."""
    tex = " ".join(tex.split())
    if not tex:
        return b" "
    tag = b"formula-block" if _IS_DISPLAY.search(marks) or _DISPLAYS.search(marks) else b"formula"
    return b"<%b>%b</%b>" % (tag, html.escape(tex, quote=False).encode(), tag)


def _text(value: bytes) -> str:
    return html.unescape(value.decode(errors="replace"))


class _EndsOfElements:
    """Where the elements of one name end: all of them are found in one pass."""

    def __init__(self, utf8: bytes, name: bytes) -> None:
        self._utf8, self._name = utf8, name
        self._ends: dict[int, int] | None = None

    def end_of(self, start: int) -> int:
        """Return where the element whose start tag is at `start` is over; -1 if it never is."""
        if self._ends is None:
            self._ends = {}
            tags = pattern(
                rb"<(/?)" + re.escape(self._name) + rb"\b" + _ATTRIBUTES + rb">", re.IGNORECASE
            )
            is_open: list[int] = []
            for tag in tags.finditer(self._utf8):
                if not tag[1]:
                    is_open.append(tag.start())
                elif is_open:
                    self._ends[is_open.pop()] = tag.end()
        return self._ends.get(start, -1)
