"""What the markup of a page declares about size, colour and place, and where its blocks are on a screen.

Only the methods of papers use this. It takes a second parse of the page, so that cleaning does not pay for it. The
estimate follows the sizes that the markup declares and the default style sheet. Blocks fill the
width of their parent and stand below one another, the columns of a table share its width by the text
in them, lists are indented, and text wraps at an average character width. Style sheets, floats,
flexible boxes and scripts are ignored, so columns that they make count as stacked.
"""

import re
from collections.abc import Iterator
from math import ceil

import msgspec
import numpy as np
from lxml import etree

from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Document
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import stalls_parser
from templ_core.dom.tags import INLINE, INVISIBLE

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
    """Return the presentation of a page, or None if the nodes of the document are others.

    >>> from templ_core.dom.document import parse_document
    >>> markup = "<table width=80%><tr><td bgcolor=black>text</table>"
    >>> found = read_presentation(parse_document(markup, "https://example.org/"), markup)
    >>> float(found.width_share.max()), float(found.background[-1])
    (0.8, 0.0)

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
        if not isinstance(element.tag, str) or element.tag in INVISIBLE:
            continue
        if element.tag != "dialog" or element.get("open") is not None:
            yield element
            todo.extend(reversed(element))


def _text_of(element: etree._Element) -> Iterator[str]:
    todo: list[etree._Element | str] = [element]
    while todo:
        piece = todo.pop()
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece.tag, str) and piece.tag not in INVISIBLE:
            for child in reversed(piece):
                todo += [child.tail or "", child]
            yield piece.text or ""


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
    match = _STYLE[name].search(style) if style else None
    return match[1] if match else None


def _length(value: str | None) -> float:
    """Return a length in pixels, or minus the share of the parent for percentages; 0 for other units."""
    match = _LENGTH.match(value) if value else None
    if match is None:
        return 0.0
    number = float(match[1])
    return -number / 100 if match[2] == "%" else number


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


VIEWPORT_PX = 1024.0
"""Width of the window."""
_BODY_MARGIN_PX = 8.0
_CHAR_PX, _WIDE_CHAR_PX, _LINE_PX = 7.2, 16.0, 18.0
"""Mean width of a Latin letter and of a Han character, and height of a line, in 16 px Times."""
_CELL_PADDING_PX = 4.0
_WIDE = re.compile(r"[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠\U00020000-\U0003ffff]")
_TEXT_SCALE: dict[str, float] = {
    "h1": 2.0,
    "h2": 1.5,
    "h3": 1.17,
    "h5": 0.83,
    "h6": 0.67,
    "pre": 1.08,
    "th": 1.05,
}
_INDENT_PX = {"ul": 40.0, "ol": 40.0, "dd": 40.0, "blockquote": 80.0, "figure": 80.0}
_MARGIN_PX = {
    "p": 16.0, "ul": 16.0, "ol": 16.0, "dl": 16.0, "blockquote": 16.0, "figure": 16.0, "pre": 16.0,
    "h1": 21.0, "h2": 20.0, "h3": 19.0, "h4": 21.0, "h5": 22.0, "h6": 25.0, "hr": 8.0,
}  # fmt: skip
"""Margins above and below; those of neighbours collapse into the larger one."""
_NOT_SHOWN = frozenset(("noscript", "head", "option", "datalist", "template", "dialog"))
_CELLS = frozenset(("td", "th"))


class Boxes(msgspec.Struct, frozen=True, kw_only=True):
    """The estimated CSS boxes of a page in pixels; columns of length n_nodes.

    Inline elements have empty boxes.
    """

    left: Floats
    top: Floats
    width: Floats
    height: Floats

    @property
    def area(self) -> Floats:
        """Area in square pixels; 0 for elements that are not shown."""
        area: Floats = self.width * self.height
        return area

    @property
    def page_width(self) -> float:
        """Width of the page in pixels, at least 1."""
        return float(max((self.left + self.width).max(initial=1.0), 1.0))

    @property
    def page_height(self) -> float:
        """Height of the page in pixels, at least 1."""
        return float(max((self.top + self.height).max(initial=1.0), 1.0))


def estimate_layout(document: Document, presentation: Presentation) -> Boxes:
    """Estimate the boxes of all elements of a page in a window of VIEWPORT_PX.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.lab.layout import read_presentation
    >>> markup = "<body><div>one line</div><div>next line</div></body>"
    >>> page = parse_document(markup, "https://example.org/")
    >>> boxes = estimate_layout(page, read_presentation(page, markup))
    >>> page.nodes.tags[2:], boxes.top[2:].tolist(), boxes.height[2:].tolist()
    (['div', 'div'], [8.0, 26.0], [18.0, 18.0])
    """
    estimate = _Estimate(document, presentation)
    estimate.wanted_widths()
    estimate.widths_down()
    estimate.heights_up()
    estimate.places_down()
    return estimate.boxes()


class _Estimate:
    """Four passes over the blocks: preferred widths, given widths, heights, positions."""

    def __init__(self, document: Document, presentation: Presentation) -> None:
        nodes, segments = document.nodes, document.segments
        count = len(nodes.tags)
        self._tags = nodes.tags
        self._declared_px: list[float] = presentation.width_px.tolist()
        self._declared_share: list[float] = presentation.width_share.tolist()
        self._declared_height: list[float] = presentation.height_px.tolist()
        self._shown = [
            not hidden and tag not in _NOT_SHOWN
            for tag, hidden in zip(nodes.tags, nodes.hidden.tolist(), strict=True)
        ]
        self._parent = nodes.parent.tolist()
        self._is_block = [tag not in INLINE for tag in nodes.tags]
        self._blocks = [node for node in range(count) if self._is_block[node] and self._shown[node]]
        self._items: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """The items of each block in order: (child block, -1) or (-1, segment)."""
        self._lines_px = [[_text_px(line) for line in text.split("\n")] for text in segments.texts]
        self._image_px = self._images(count)
        self._collect(document)
        self._wanted = [0.0] * count
        self._width = [0.0] * count
        self._height = [0.0] * count
        self._left = [0.0] * count
        self._top = [0.0] * count

    def _collect(self, document: Document) -> None:
        block_above: list[int] = []
        keyed: list[tuple[int, int, int, int]] = []
        for node, parent in enumerate(self._parent):
            above = parent if parent < 0 or self._is_block[parent] else block_above[parent]
            block_above.append(above)
            if self._is_block[node] and above >= 0 and self._shown[node]:
                keyed.append((2 * node, above, node, -1))
        segments = document.segments
        owners, places = segments.owner.tolist(), segments.inline_to.tolist()
        keyed += [
            (2 * place - 1, owner, -1, segment)
            for segment, (owner, place) in enumerate(zip(owners, places, strict=True))
        ]
        for _, above, node, segment in sorted(keyed):
            self._items[above].append((node, segment))

    def _images(self, count: int) -> list[tuple[float, float]]:
        """Return, for each block, the declared width of all its images and the height of the tallest."""
        sizes = [(0.0, 0.0)] * count
        for node, tag in enumerate(self._tags):
            if tag != "img":
                continue
            block = self._parent[node]
            while block >= 0 and not self._is_block[block]:
                block = self._parent[block]
            width, height = sizes[block]
            sizes[block] = (
                width + self._declared_px[node],
                max(height, self._declared_height[node]),
            )
        return sizes

    def _children(self, node: int) -> list[int]:
        return [child for child, _ in self._items[node] if child >= 0]

    def wanted_widths(self) -> None:
        for node in reversed(self._blocks):
            scale = _TEXT_SCALE.get(self._tags[node], 1.0)
            texts = [
                max(self._lines_px[text]) * scale for _, text in self._items[node] if text >= 0
            ]
            wanted = [self._wanted[child] for child in self._children(node)]
            row = sum(wanted) if self._tags[node] == "tr" else max(wanted, default=0.0)
            widest = max(row, *texts, self._image_px[node][0], 0.0)
            padding = _CELL_PADDING_PX if self._tags[node] in _CELLS else 0.0
            self._wanted[node] = max(
                self._declared_px[node], widest + padding + _INDENT_PX.get(self._tags[node], 0.0)
            )

    def widths_down(self) -> None:
        for node in self._blocks:
            if self._parent[node] < 0:
                self._width[node] = VIEWPORT_PX
            inner = self._inner_width(node)
            for child in self._children(node):
                self._width[child] = self._width[child] or self._child_width(child, inner)
            if self._tags[node] == "table":
                self._share_columns(node)

    def _inner_width(self, node: int) -> float:
        """Return the width of a block without its padding and indent."""
        margin = 2 * _BODY_MARGIN_PX if self._tags[node] == "body" else 0.0
        margin += _INDENT_PX.get(self._tags[node], 0.0)
        margin += _CELL_PADDING_PX if self._tags[node] in _CELLS else 0.0
        return max(self._width[node] - margin, 0.0)

    def _child_width(self, child: int, available: float) -> float:
        if self._declared_share[child]:
            return self._declared_share[child] * available
        if self._declared_px[child]:
            return self._declared_px[child]
        if self._tags[child] in {"table", "button", "select", "fieldset"}:
            return min(available, self._wanted[child])
        return available

    def _share_columns(self, table: int) -> None:
        """Share the width of a table between its columns in proportion to their preferred widths."""
        rows = self._rows(table)
        cells = list(map(self._children, rows))
        columns = max(map(len, cells), default=0)
        wanted = [0.0] * columns
        for some in cells:
            for column, cell in enumerate(some):
                share = self._declared_share[cell] * self._width[table]
                wanted[column] = max(wanted[column], share or self._wanted[cell])
        factor = self._width[table] / (sum(wanted) or 1.0)
        for row, some in zip(rows, cells, strict=True):
            self._width[row] = self._width[table]
            spare = sum(wanted[len(some) :])
            for column, cell in enumerate(some):
                last = spare if column == len(some) - 1 else 0.0
                self._width[cell] = (wanted[column] + last) * factor

    def _rows(self, table: int) -> list[int]:
        """Return the rows of a table, and give row groups its width."""
        rows = []
        for child in self._children(table):
            if self._tags[child] == "tr":
                rows.append(child)
            elif self._tags[child] in {"tbody", "thead", "tfoot"}:
                self._width[child] = self._width[table]
                rows += self._children(child)
        return rows

    def heights_up(self) -> None:
        for node in reversed(self._blocks):
            tag = self._tags[node]
            if tag == "tr":
                height = max((self._height[cell] for cell in self._children(node)), default=0.0)
            elif tag == "select":
                height = _LINE_PX
            else:
                height = self._stacked(node)
            width, image_height = self._image_px[node]
            rows = ceil(width / max(self._inner_width(node), 1.0))
            height += min(rows, 50) * image_height
            padding = _CELL_PADDING_PX if tag in _CELLS else 0.0
            padding += 2 * _BODY_MARGIN_PX if tag == "body" else 0.0
            self._height[node] = max(height + padding, self._declared_height[node])

    def _stacked(self, node: int) -> float:
        """Return the height of the items of a block, one below the other."""
        below = 0.0
        height = 0.0
        for child, segment in self._items[node]:
            margin = _MARGIN_PX.get(self._tags[child], 0.0) if child >= 0 else 0.0
            height += max(below, margin) + self._item_height(node, child, segment)
            below = margin
        return height + below

    def _item_height(self, node: int, child: int, segment: int) -> float:
        if child >= 0:
            return self._height[child]
        scale = _TEXT_SCALE.get(self._tags[node], 1.0)
        width = max(self._inner_width(node), _CHAR_PX) / scale
        lines = sum(max(ceil(line_px / width), 1) for line_px in self._lines_px[segment])
        return lines * _LINE_PX * scale

    def places_down(self) -> None:
        for node in self._blocks:
            tag = self._tags[node]
            margin = _BODY_MARGIN_PX if tag == "body" else 0.0
            left = (
                self._left[node]
                + margin
                + _INDENT_PX.get(tag, 0.0) / (2 if tag in {"blockquote", "figure"} else 1)
            )
            top, below = self._top[node] + margin, 0.0
            for child, segment in self._items[node]:
                above = _MARGIN_PX.get(self._tags[child], 0.0) if child >= 0 else 0.0
                if tag != "tr":
                    top += max(below, above)
                if child >= 0:
                    self._left[child], self._top[child] = left, top
                if tag == "tr":
                    left += self._width[child]
                else:
                    top += self._item_height(node, child, segment)
                below = above

    def boxes(self) -> Boxes:
        return Boxes(
            left=np.array(self._left),
            top=np.array(self._top),
            width=np.array(self._width),
            height=np.array(self._height),
        )


def _text_px(line: str) -> float:
    wide = 0 if line.isascii() else len(_WIDE.findall(line))
    return (len(line) - wide) * _CHAR_PX + wide * _WIDE_CHAR_PX
