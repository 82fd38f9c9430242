"""The kept parts of a page with the elements around them that give text its structure."""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from templ_core.array_types import Bools, Int32s
from templ_core.dom._tree import tag_bits
from templ_core.dom.addresses import Addresses
from templ_core.dom.document import Document
from templ_core.dom.kept_text import without_parts
from templ_core.dom.signs import Cuts, with_signs
from templ_core.dom.tags import CELLS, HEADING_LEVELS, names
from templ_core.patterns import pattern
from templ_core.rendering._inline import InlineWriter
from templ_core.rendering._structure import structure_of
from templ_core.rendering.captions import with_captions

STRUCTURE = frozenset(HEADING_LEVELS) | names(
    "p li ul ol blockquote pre table thead tbody tfoot tr td th caption dl dt dd figure figcaption"
)
"""Tags of elements that give text its structure."""
_TABLE, _ITEM, _PRE = 7, 8, 9
"""Traits of tags for `structure_of`."""
_TRAITS = {
    **HEADING_LEVELS,
    "table": _TABLE,
    "pre": _PRE,
    **dict.fromkeys(("ul", "ol", "li", "blockquote"), _ITEM),
}

_NUMBERS = pattern(r"-?\d{1,10}(?: reversed)?| reversed|\d{1,4} \d{1,5}")
_LINK = {"a": 1}
_NUMBERED = dict.fromkeys([*CELLS, "ol", "li"], 1)

_SHARES = pattern(
    r"sharer?[./?]|/intent/(?:tweet|post|compose)|shareArticle|/share\?|pin/create|/send\?(?:phone|text)=|add2any"
)
_SHARE_LEVELS = 3
"""Elements around an image in which the link that it stands in is looked for."""
Chain = tuple[int, ...]
"""Numbers of elements around a text, the outermost first."""


class Part(NamedTuple):
    """A kept segment, or a kept image with no text beside it."""

    segment: int
    """Number of the segment; -1 for an image."""
    image: int
    """Number of the image; -1 for a segment."""
    owner: int
    """Number of the element that it stands in."""
    level: int
    """Level of the heading that it is in, 0 = none."""
    block: int
    """Number of the table around it that has no other table in it, or else of the `pre`; -1 = none."""
    item: int
    """Number of the innermost list, list item or quotation around it; -1 = none."""


class Outline:
    """The kept parts of a page, and what writes them."""

    def __init__(
        self,
        document: Document,
        kept: Bools,
        cuts: Cuts | None,
        url: str,
        settled: Bools | None = None,
    ) -> None:
        """Prepare for a page.

        Args:
            document: The page; links, images and emphasis are written if it has marks.
            kept: Whether each segment stays; length n_segments.
            cuts: What is cut out of segments that stay; None = nothing.
            url: Address of the page, to which relative addresses are joined where the page names no other.
            settled: Which segments the settings of the site decide; None = none.
        """
        kept = with_captions(document, kept, settled)
        self.document, self.kept, cuts = with_signs(document, kept, cuts)
        """The page with its signs among its segments, and whether each of these is written."""
        self.cuts = cuts or {}
        """What is cut out of segments that stay."""
        self._url = url
        self._chains: dict[int, Chain] = {-1: ()}
        self._writers: dict[bool, InlineWriter] = {}

    @functools.cached_property
    def _structure(self) -> Int32s:
        """Level, block, item and `pre` of each element, shape (4, n_nodes)."""
        return structure_of(self.document.nodes, _TRAITS)

    @functools.cached_property
    def _parent(self) -> list[int]:
        parents: list[int] = self.document.nodes.parent.tolist()
        return parents

    def tag(self, node: int) -> str:
        """Return the tag of an element."""
        return self.document.nodes.tags[node]

    def writer(self, *, is_html: bool) -> InlineWriter:
        """Return what writes the inline content of the parts, from the first one on."""
        writer = self._writers.get(is_html)
        if writer is None:
            addresses = Addresses(self._url)
            writer = InlineWriter(self.document, self.kept, addresses, is_html)
            self._writers[is_html] = writer
        writer.begin()
        return writer

    def columns(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield the fields of the parts that are segments, but for their images."""
        stays = np.flatnonzero(self.kept)
        owner = self.document.segments.owner[stays]
        levels, blocks, items = self._structure[:3, owner].tolist()
        return zip(stays.tolist(), owner.tolist(), levels, blocks, items, strict=True)

    def parts(self, writer: InlineWriter) -> Iterator[Part]:
        """Yield the parts in document order; each must be written before the next one is asked for."""
        for segment, node, level, block, item in self.columns():
            yield from self.image_parts(writer.images_before(segment))
            yield Part(segment, -1, node, level, block, item)
        yield from self.image_parts(writer.images_before(len(self.document.segments.texts)))

    def image_parts(self, images: list[tuple[int, int]]) -> Iterator[Part]:
        """Yield images as parts, given the numbers of the images and of their elements; no icons of share buttons."""
        for image, element in images:
            above = int(self.document.nodes.parent[element])
            if self._shares(above):
                continue
            yield Part(-1, image, above, *self._structure[:3, above].tolist())

    def pre(self, node: int) -> int:
        """Return the number of the innermost `pre` around what stands in an element; -1 = none."""
        return int(self._structure[3, node])

    @functools.cached_property
    def _numbers(self) -> dict[int, str]:
        marks = self.document.marks
        if marks is None:
            return {}
        nodes = self.document.nodes
        is_numbered = tag_bits(nodes.element_types, _NUMBERED)[nodes.element_type[marks.node]]
        rows = np.flatnonzero(is_numbered & (marks.label >= 0))
        labels = map(marks.values.__getitem__, marks.label[rows].tolist())
        pairs = zip(marks.node[rows].tolist(), labels, strict=True)
        return {node: label for node, label in pairs if _NUMBERS.fullmatch(label)}

    def numbers(self, node: int) -> str:
        """Return what the markup says of the numbers of a list, a list item or a cell, see `Marks.label`."""
        return self._numbers.get(node, "")

    def spans(self, cell: int) -> tuple[int, int]:
        """Return how many columns and rows a cell spans; no rows stand for all that follow."""
        columns, _, rows = self.numbers(cell).partition(" ")
        return (int(columns), int(rows)) if rows.isdecimal() else (1, 1)

    def cells(self, row: int) -> list[int]:
        """Return the cells of a row."""
        end = self.document.nodes.end
        cells = []
        node = row + 1
        while node < end[row]:
            if self.tag(node) in CELLS:
                cells.append(node)
            node = int(end[node])
        return cells

    @functools.cached_property
    def _targets(self) -> dict[int, str]:
        """Addresses of the page's links by the numbers of their elements."""
        marks = self.document.marks
        if marks is None:
            return {}
        nodes = self.document.nodes
        is_link = tag_bits(nodes.element_types, _LINK)[nodes.element_type[marks.node]]
        rows = np.flatnonzero(is_link & (marks.target >= 0))
        targets = map(marks.values.__getitem__, marks.target[rows].tolist())
        return dict(zip(marks.node[rows].tolist(), targets, strict=True))

    def _shares(self, node: int) -> bool:
        """Return whether an element stands in a link by which a reader shares the page elsewhere."""
        for _ in range(_SHARE_LEVELS):
            if node in self._targets:
                return _SHARES.search(self._targets[node]) is not None
            node = int(self.document.nodes.parent[node]) if node >= 0 else -1
        return False

    def text(self, part: Part) -> str:
        """Return the text of a segment without its marks, and without what is cut out."""
        text = self.document.segments.texts[part.segment] if part.segment >= 0 else ""
        return without_parts(text, self.cuts.get(part.segment, ()))

    def written(self, part: Part, writer: InlineWriter, *, is_verbatim: bool = False) -> str:
        """Return a part with its marks."""
        if part.segment < 0:
            return writer.image(part.image)
        cuts = self.cuts.get(part.segment) if self.cuts else None
        if cuts:
            text = self.document.segments.texts[part.segment]
            cuts = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in cuts]
        return writer.write(part.segment, cuts, part.level > 0, is_verbatim)

    def items(self, item: int) -> Chain:
        """Return the lists, list items and quotations around a text, given the innermost one."""
        chain = self._chains.get(item)
        if chain is None:
            above = int(self._structure[2, max(int(self.document.nodes.parent[item]), 0)])
            chain = self._chains[item] = (*self.items(above if above < item else -1), item)
        return chain

    def chain(self, node: int, within: int = -1) -> Chain:
        """Return the elements that give text its structure around what stands in an element.

        Args:
            node: Number of the element.
            within: Number of an element around it that ends the search; -1 = none.
        """
        chain = []
        tags, parent = self.document.nodes.tags, self._parent
        while node != within:
            if tags[node] in STRUCTURE:
                chain.append(node)
            node = parent[node]
        return tuple(reversed(chain))
