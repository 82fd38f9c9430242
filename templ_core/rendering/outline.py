"""The kept parts of a page with the elements around them that give text its structure."""

import functools
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.marks import Marks
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.dom.text import Cuts
from templ_core.rendering._inline import InlineWriter
from templ_core.rendering.addresses import Addresses

STRUCTURE = frozenset(HEADING_LEVELS) | frozenset(
    "p li ul ol blockquote pre table tr td th caption dl dt dd figure figcaption".split()
)
"""Tags of elements that give text its structure."""
_IMAGE_KEPT_MIN = 0.5
"""An image with no text beside it is kept where more than this share of the text around it is kept."""

Chain = tuple[int, ...]
"""Numbers of the elements around a text that give it its structure, the outermost first."""


class Place(NamedTuple):
    """Where a text stands."""

    chain: Chain
    level: int
    """Level of the heading that it is in, 0 = none."""
    block: str
    """`table` or `pre`, whichever is the innermost around it; empty for neither."""
    node: int
    """Number of that element; -1 = none."""
    items: Chain
    """The lists, list items and quotations of the chain."""


class Part(NamedTuple):
    """A kept segment, or a kept image with no text beside it."""

    place: Place
    segment: int
    """Number of the segment; -1 for an image."""
    image: int
    """Number of the image; -1 for a segment."""


class Outline:
    """The kept parts of a page, and what writes them."""

    def __init__(
        self, document: Document, kept: Bools, cuts: Cuts | None, marks: Marks | None, url: str
    ) -> None:
        """Prepare for a page.

        Args:
            document: The page.
            kept: Whether each segment stays; length n_segments.
            cuts: What is cut out of segments that stay; None = nothing.
            marks: Links, images and emphasis; None = there are none.
            url: Address of the page, to which relative addresses are joined.
        """
        self.document = document
        self.tags = document.nodes.tags
        """Tag of each element."""
        self._kept = kept
        self._cuts = cuts or {}
        self._marks = marks
        self._addresses = Addresses(url)
        self._parent: list[int] = document.nodes.parent.tolist()
        self._places: dict[int, Place] = {-1: Place((), 0, "", -1, ())}
        self._shares: dict[int, float] = {-1: 0.0}

    def writer(self, *, is_html: bool) -> InlineWriter:
        """Return what writes the inline content of the parts."""
        nodes = self.document.nodes
        return InlineWriter(
            self.document.segments.texts,
            nodes.element_types,
            nodes.element_type,
            nodes.end,
            self._marks,
            self._addresses.absolute,
            self._addresses.origin,
            is_html,
        )

    def parts(self, writer: InlineWriter) -> Iterator[Part]:
        """Yield the parts in document order; each must be written before the next one is asked for."""
        owner = self.document.segments.owner.tolist()
        for segment in np.flatnonzero(self._kept).tolist():
            yield from self._images(writer, segment)
            yield Part(self._place(owner[segment]), segment, -1)
        yield from self._images(writer, len(owner))

    def text(self, part: Part) -> str:
        """Return the text of a segment without its marks, and without what is cut out."""
        text = self.document.segments.texts[part.segment] if part.segment >= 0 else ""
        cuts = self._cuts.get(part.segment)
        if not cuts:
            return text
        starts = [0, *(end for _, end in cuts)]
        ends = [*(begin for begin, _ in cuts), len(text)]
        return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))

    def written(self, part: Part, writer: InlineWriter, *, is_verbatim: bool = False) -> str:
        """Return a part with its marks."""
        if part.segment < 0:
            return writer.image(part.image)
        cuts = self._cuts.get(part.segment)
        if cuts:
            text = self.document.segments.texts[part.segment]
            cuts = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in cuts]
        return writer.write(part.segment, cuts, is_verbatim)

    def _images(self, writer: InlineWriter, segment: int) -> Iterator[Part]:
        for image, node in writer.images_before(segment):
            above = self._parent[node]
            if self._kept_share(above) > _IMAGE_KEPT_MIN:
                yield Part(self._place(above), -1, image)

    def _place(self, node: int) -> Place:
        """Return the place of what stands in an element."""
        path = []
        while node not in self._places:
            path.append(node)
            node = self._parent[node]
        place = self._places[node]
        for one in reversed(path):
            tag = self.tags[one]
            if tag in STRUCTURE:
                place = self._inside(place, one, tag)
            self._places[one] = place
        return place

    def _inside(self, place: Place, node: int, tag: str) -> Place:
        chain, level, block, of_block, items = place
        chain = (*chain, node)
        if tag in HEADING_LEVELS:
            level = HEADING_LEVELS[tag]
        elif tag in {"table", "pre"}:
            block, of_block = tag, node
        elif tag in {"ul", "ol", "li", "blockquote"}:
            items = (*items, node)
        return Place(chain, level, block, of_block, items)

    @functools.cached_property
    def _columns(self) -> tuple[list[int], list[int], list[int], list[int]]:
        segments = self.document.segments
        chars = np.array([len(text) for text in segments.texts], np.int64)
        return (
            [0, *np.cumsum(chars).tolist()],
            [0, *np.cumsum(chars * self._kept).tolist()],
            segments.inline_from.tolist(),
            segments.owner.tolist(),
        )

    def _kept_share(self, node: int) -> float:
        """Return the kept share of the text in an element, or the smallest one around it that has text."""
        found = self._shares.get(node)
        if found is None:
            whole, kept, inline_from, owner = self._columns
            end = int(self.document.nodes.end[node])
            first, last = bisect_right(inline_from, node), bisect_right(inline_from, end)
            while last > first and not node <= owner[last - 1] < end:
                last -= 1
            if first == last:
                found = self._kept_share(self._parent[node])
            else:
                found = (kept[last] - kept[first]) / max(whole[last] - whole[first], 1)
            self._shares[node] = found
        return found
