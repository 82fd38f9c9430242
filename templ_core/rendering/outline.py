"""The kept parts of a page with the elements around them that give text its structure."""

import functools
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.marks import Marks
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.dom.text import Cuts
from templ_core.rendering.addresses import Addresses
from templ_core.rendering.inline import InlineMark

STRUCTURE = frozenset(HEADING_LEVELS) | frozenset(
    "p li ul ol blockquote pre table tr td th caption dl dt dd figure figcaption".split()
)
"""Tags of elements that give text its structure."""
_IMAGE_KEPT_MIN = 0.5
"""An image with no text beside it is kept where more than this share of the text around it is kept."""


class Part(NamedTuple):
    """A kept segment, or a kept image with no text beside it."""

    chain: tuple[int, ...]
    """Numbers of the elements around it that give text its structure, the outermost first."""
    text: str
    marks: list[InlineMark]
    cuts: list[tuple[int, int]]


class Outline(msgspec.Struct, frozen=True):
    """The kept parts of a page in document order."""

    document: Document
    parts: list[Part]
    tags: list[str]
    """Tag of each element."""


def outline(document: Document, kept: Bools, cuts: Cuts | None, marks: Marks | None, url: str) -> Outline:
    """Return the kept parts of a page.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        cuts: What is cut out of segments that stay; None = nothing.
        marks: Links, images and emphasis; None = there are none.
        url: Address of the page, to which relative addresses are joined.
    """
    tags = document.nodes.tags
    chains = _Chains(document.nodes.parent.tolist(), tags)
    of_segments, images = _marks(document, marks, Addresses(url), kept, tags)
    texts, owner = document.segments.texts, document.segments.owner.tolist()
    parts: list[Part] = []
    for segment in np.flatnonzero(kept).tolist():
        while images and images[0][0] <= segment:
            _, around, image = images.pop(0)
            parts.append(Part(chains.of(around), "", [image], []))
        cut = cuts.get(segment, []) if cuts else []
        found = of_segments.get(segment, [])
        parts.append(Part(chains.of(owner[segment]), texts[segment], found, cut))
    parts += [Part(chains.of(around), "", [image], []) for _, around, image in images]
    return Outline(document, parts, tags)


class _Chains:
    """The elements around a node that give text its structure."""

    def __init__(self, parent: list[int], tags: list[str]) -> None:
        self._tags = tags
        self._parent = parent
        self._known: dict[int, tuple[int, ...]] = {-1: ()}

    def of(self, node: int) -> tuple[int, ...]:
        path = []
        while node not in self._known:
            path.append(node)
            node = self._parent[node]
        chain = self._known[node]
        for one in reversed(path):
            if self._tags[one] in STRUCTURE:
                chain = (*chain, one)
            self._known[one] = chain
        return chain


def _marks(
    document: Document, marks: Marks | None, addresses: Addresses, kept: Bools, tags: list[str]
) -> tuple[dict[int, list[InlineMark]], list[tuple[int, int, InlineMark]]]:
    """Return the marks of each kept segment, and the kept images that stand in none.

    An image has the number of the segment behind it, and that of the element around it.
    """
    found: dict[int, list[InlineMark]] = {}
    images: list[tuple[int, int, InlineMark]] = []
    if marks is None or not len(marks.node):
        return found, images
    nodes, texts = document.nodes, document.segments.texts
    is_inside = marks.start >= 0
    stay = np.flatnonzero(
        np.where(is_inside, np.append(kept, [False])[marks.segment], marks.label >= 0)
    )
    stay = stay[np.lexsort((marks.node[stay], marks.segment[stay]))]
    share = _KeptShare(document, kept)
    columns = zip(
        marks.segment[stay].tolist(), marks.start[stay].tolist(), marks.end[stay].tolist(),
        marks.node[stay].tolist(), nodes.end[marks.node[stay]].tolist(),
        marks.target[stay].tolist(), marks.label[stay].tolist(), strict=True,
    )  # fmt: skip
    values = marks.values
    for segment, start, end, node, node_end, target, label in columns:
        tag = tags[node]
        text = values[label].strip() if label >= 0 else ""
        if tag == "img" and not text:
            continue
        if start < 0 and not (tag == "img" and share.around(node) > _IMAGE_KEPT_MIN):
            continue
        address = addresses.absolute(values[target]) if target >= 0 else ""
        if start < 0:
            image = InlineMark(0, 0, node, node_end, tag, address, text)
            images.append((segment, int(nodes.parent[node]), image))
            continue
        if not texts[segment].isascii():
            raw = texts[segment].encode()
            start, end = len(raw[:start].decode(errors="ignore")), len(raw[:end].decode(errors="ignore"))
        found.setdefault(segment, []).append(
            InlineMark(start, min(end, len(texts[segment])), node, node_end, tag, address, text)
        )
    return found, images


class _KeptShare:
    """How much of the text around an element is kept."""

    def __init__(self, document: Document, kept: Bools) -> None:
        self._document = document
        self._kept = kept
        self._known: dict[int, float] = {-1: 0.0}

    @functools.cached_property
    def _columns(self) -> tuple[list[int], list[int], list[int], list[int]]:
        segments = self._document.segments
        chars = np.array([len(text) for text in segments.texts], np.int64)
        return (
            [0, *np.cumsum(chars).tolist()],
            [0, *np.cumsum(chars * self._kept).tolist()],
            segments.inline_from.tolist(),
            segments.owner.tolist(),
        )

    def around(self, node: int) -> float:
        """Return the kept share of the text in the smallest element around a node that has text, 0 to 1."""
        parent = int(self._document.nodes.parent[node])
        found = self._known.get(parent)
        if found is None:
            found = self._known[parent] = self._of(parent)
        return found

    def _of(self, node: int) -> float:
        whole, kept, inline_from, owner = self._columns
        end = int(self._document.nodes.end[node])
        first, last = bisect_right(inline_from, node), bisect_right(inline_from, end)
        while last > first and not node <= owner[last - 1] < end:
            last -= 1
        if first == last:
            return self.around(node)
        return (kept[last] - kept[first]) / max(whole[last] - whole[first], 1)


def groups(found: Outline) -> Iterator[tuple[str, int, list[Part]]]:
    """Yield the parts that belong together: those of one table or `pre`, and every other one alone.

    Yields:
        `table`, `pre` or an empty string; the number of the element, -1 for others; and the parts.
    """
    parts = found.parts
    at = 0
    while at < len(parts):
        kind, node = _kind(found, parts[at])
        end = at + 1
        while kind and end < len(parts) and _kind(found, parts[end]) == (kind, node):
            end += 1
        yield kind, node, parts[at:end]
        at = end


def _kind(found: Outline, part: Part) -> tuple[str, int]:
    for node in reversed(part.chain):
        tag = found.tags[node]
        if tag in {"table", "pre"}:
            return tag, node
    return "", -1
