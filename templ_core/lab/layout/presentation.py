"""What the markup of a page declares about size, colour and place.

Only the methods of papers use these columns. They come from a second parse of the page, so that
cleaning does not pay for them.
"""

import re
from collections.abc import Iterator

import msgspec
import numpy as np
from lxml import etree

from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Document
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import stalls_parser
from templ_core.dom.tags import INVISIBLE

_TAG_CHARS = 5
"""Characters of the angle brackets and the slash of a start and an end tag."""
_ATTRIBUTE_CHARS = 4
"""Characters of the blank, the equals sign and the quotes of an attribute."""
_LENGTH = re.compile(r"\s*(\d{1,5})(?:\.\d+)?\s*(px|%)?\s*(?:$|!)")
_STYLE = {
    name: re.compile(rf"(?:^|;)\s*{pattern}\s*:\s*([^;]+)", re.IGNORECASE)
    for name, pattern in (
        ("width", "width"),
        ("height", "height"),
        ("background", r"background(?:-color)?"),
    )
}
_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)
_RGB = re.compile(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)", re.IGNORECASE)
_NAMED = {
    "white": 1.0, "black": 0.0, "silver": 0.75, "gray": 0.5, "grey": 0.5, "red": 0.30,
    "yellow": 0.89, "green": 0.29, "blue": 0.11, "navy": 0.06, "maroon": 0.15, "orange": 0.67,
    "lightgrey": 0.83, "lightgray": 0.83, "whitesmoke": 0.96, "beige": 0.95,
}  # fmt: skip


class Presentation(msgspec.Struct, frozen=True, kw_only=True):
    """Declared sizes and colours of the nodes of a page; columns of length n_nodes."""

    markup_chars: Int64s
    """Characters of the element's own tags and attributes."""
    invisible_chars: Int64s
    """Characters of scripts, styles and the like directly inside the element."""
    line: Int64s
    """Line of the start tag in the page as parsed, from 1."""
    width_px: Floats
    """Declared width in pixels; 0 if none is declared."""
    width_share: Floats
    """Declared width as a share of the parent's, 0 to 1; 0 if none is declared."""
    height_px: Floats
    """Declared height in pixels; 0 if none is declared."""
    background: Floats
    """Lightness of the declared background, 0 (black) to 1 (white); NaN if none is declared."""
    small_texts: dict[int, str]
    """Text of each `small` element by number of the node, with white space collapsed.

    These elements are inline in a document, but a block for Kolcz and Yih.
    """


def read_presentation(document: Document, markup: str) -> Presentation | None:
    """Read the presentation of a page.

    >>> from templ_core.dom.document import parse_document
    >>> markup = "<table width=80%><tr><td bgcolor=black>text</table>"
    >>> found = read_presentation(parse_document(markup, "https://example.org/"), markup)
    >>> float(found.width_share.max()), float(found.background[-1])
    (0.8, 0.0)

    Args:
        document: The page.
        markup: The decoded page.

    Returns:
        None if the elements of the markup are not the nodes of the document.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired.
    """
    root = _whole_page(markup.encode())
    if root is None:
        return None
    elements = list(visible_elements(root))
    rows = [_row(element) for element in elements]
    if [row[0] for row in rows] != document.nodes.tags:
        return None
    columns = list(zip(*(row[1:] for row in rows), strict=True))
    width = np.array(columns[3], np.float64)
    return Presentation(
        markup_chars=np.array(columns[0], np.int64),
        invisible_chars=np.array(columns[1], np.int64),
        line=np.array(columns[2], np.int64),
        width_px=np.maximum(width, 0),
        width_share=np.clip(-width, 0, 1),
        height_px=np.maximum(np.array(columns[4], np.float64), 0),
        background=np.array(columns[5], np.float64),
        small_texts={
            node: " ".join("".join(_text_of(element)).split())
            for node, element in enumerate(elements)
            if element.tag == "small"
        },
    )


def _whole_page(utf8: bytes) -> etree._Element | None:
    """Return the root element of a page with its scripts, which are part of what an element weighs."""
    if not utf8 or utf8.isspace():
        return None
    if stalls_parser(utf8):
        utf8 = flatten_markup(utf8)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    root: etree._Element | None = etree.fromstring(utf8, parser)
    return root


def visible_elements(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements of a parsed page that are nodes of its document, in document order."""
    todo = [root]
    while todo:
        element = todo.pop()
        if isinstance(element.tag, str) and element.tag not in INVISIBLE:
            yield element
            todo.extend(reversed(element))


def _text_of(element: etree._Element) -> Iterator[str]:
    """Yield the pieces of visible text inside an element."""
    todo: list[etree._Element | str] = [element]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one.tag, str) and one.tag not in INVISIBLE:
            for child in reversed(one):
                todo += [child.tail or "", child]
            yield one.text or ""


def _row(element: etree._Element) -> tuple[str, int, int, int, float, float, float]:
    """Return tag, markup and invisible characters, line, width, height and background."""
    tag, attributes = str(element.tag), element.attrib
    markup = 2 * len(tag) + _TAG_CHARS
    width = height = 0.0
    background = np.nan
    if attributes:
        markup += sum(
            len(name) + len(value) + _ATTRIBUTE_CHARS for name, value in attributes.items()
        )
        style = attributes.get("style") or ""
        width = _length(_declared(style, "width") or attributes.get("width"))
        height = _length(_declared(style, "height") or attributes.get("height"))
        background = _lightness(_declared(style, "background") or attributes.get("bgcolor"))
    invisible = sum(
        len("".join(child.itertext()))
        for child in element
        if isinstance(child.tag, str) and child.tag in INVISIBLE
    )
    return tag, markup, invisible, element.sourceline or 0, width, height, background


def _declared(style: str, name: str) -> str | None:
    """Return the value of a property in a style attribute."""
    found = _STYLE[name].search(style) if style else None
    return found[1] if found else None


def _length(value: str | None) -> float:
    """Return a length in pixels, or minus the share of the parent for percentages; 0 for other units."""
    found = _LENGTH.match(value) if value else None
    if found is None:
        return 0.0
    number = float(found[1])
    return -number / 100 if found[2] == "%" else number


def _lightness(value: str | None) -> float:
    """Return the luma of a colour (ITU-R BT.601), 0 to 1; NaN for unknown colours."""
    if not value or value.isspace():
        return np.nan
    word = value.split()[0].lower()
    if word in _NAMED:
        return _NAMED[word]
    rgb, digits = _RGB.search(value), _HEX.match(word)
    if rgb:
        red, green, blue = (int(part) for part in rgb.groups())
    elif digits:
        size = len(digits[1]) // 3
        parts = (digits[1][at : at + size] * (3 - size) for at in range(0, len(digits[1]), size))
        red, green, blue = (int(part, 16) for part in parts)
    else:
        return np.nan
    return min((0.299 * red + 0.587 * green + 0.114 * blue) / 255, 1.0)
