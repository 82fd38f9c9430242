"""Elements of one shape, and the parts of a page that such elements separate.

Two elements have one shape if their tags, the tags of all elements around them, and their own classes without
figures are equal, so that cousins count as siblings.
"""

import functools
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.signs import with_signs
from templ_core.dom.tags import IMAGES
from templ_core.patterns import pattern

_FIGURES = pattern(r"\d+")
_STATES = frozenset(
    ("odd", "even", "alt", "first", "last", "active", "current", "online", "offline", "new")
)
"""Classes that name a state of an element, or which one of several it is."""
_CLASSES_MAX = 2
"""Classes of an element that belong to its shape."""


class Stretch(NamedTuple):
    """A part of a page: neighbouring children of one element."""

    root: int
    """Number of the element that all parts of one kind have."""
    begin: int
    """Number of its first element."""
    end: int
    """Number of the first element behind it."""


class PlacedMark(NamedTuple):
    """A link, an image or an emphasised text."""

    segment: int
    """Number of the segment that it stands in, or before."""
    text: str
    """Its text, or the alternative text of an image."""
    target: str
    """Address of a link or an image, as the page has it."""
    is_first: bool
    """Whether nothing stands before it in its segment."""


class ShapedPage:
    """A page with the shapes of its elements, its signs among its segments.

    Args:
        document: The page, with its marks.
        kept: Whether each segment is content by the decision of the page; length n_segments.
    """

    def __init__(self, document: Document, kept: Bools) -> None:
        all_shown = with_signs(document, np.ones(len(kept), np.bool_), None)
        self.document = all_shown.document
        self.kept = with_signs(document, kept, None).kept
        self.nodes, self.segments = self.document.nodes, self.document.segments
        self.tags = self.nodes.tags
        self.texts = self.segments.texts

    @functools.cached_property
    def shape(self) -> Int64s:
        """Number of each element's shape."""
        types = self.nodes.element_types
        tags = _numbered([tag for tag, _ in types])[self.nodes.element_type]
        stems = _numbered([_stem(values) for values in self.nodes.attribute_values])
        shape = self._paths(tags) * (len(types) + 1) + stems[self.nodes.element_type]
        return np.asarray(np.unique(shape, return_inverse=True)[1], np.int64)

    def _paths(self, tag: Int64s) -> Int64s:
        """Return a number for each element that those share around which, and on which, the tags are equal."""
        nodes = self.nodes
        path = np.zeros(len(tag), np.int64)
        order = np.argsort(nodes.depth, kind="stable")
        levels = np.flatnonzero(np.diff(nodes.depth[order], prepend=-1))
        tags, count = int(tag.max(initial=0)) + 1, 0
        for level in np.split(order, levels[1:]):
            above = nodes.parent[level]
            key = np.where(above >= 0, path[np.maximum(above, 0)], 0) * tags + tag[level]
            distinct, number = np.unique(key, return_inverse=True)
            path[level] = number + count
            count += len(distinct)
        return path

    @functools.cached_property
    def _chars_before(self) -> Floats:
        return self._summed(np.array([len(text) for text in self.texts], np.float64))

    @functools.cached_property
    def _kept_before(self) -> Floats:
        return self._summed(np.array([len(text) for text in self.texts], np.float64) * self.kept)

    def _summed(self, values: Floats) -> Floats:
        counts = np.bincount(self.segments.owner + 1, values, len(self.nodes.end) + 1)
        summed: Floats = counts.cumsum()
        return summed

    def chars(self, begin: Int64s | int, end: Int32s | Int64s | int) -> Floats:
        """Return the number of characters that stand in the blocks begin .. end - 1."""
        return np.asarray(self._chars_before[end] - self._chars_before[begin])

    def kept_chars(self, begin: Int64s | int, end: Int32s | Int64s | int) -> Floats:
        """Return the number of characters of kept segments that stand in the blocks begin .. end - 1."""
        return np.asarray(self._kept_before[end] - self._kept_before[begin])

    @property
    def all_kept_chars(self) -> float:
        """Number of characters of all kept segments."""
        return float(self._kept_before[-1])

    def segments_in(self, begin: int, end: int) -> list[int]:
        """Return the numbers of the segments that stand in the blocks begin .. end - 1."""
        first = bisect_right(self._inline_from, begin)
        behind = bisect_right(self._inline_from, end)
        return [one for one in range(first, behind) if begin <= self._owner[one] < end]

    def segments_within(self, node: int) -> list[int]:
        """Return the numbers of the segments that stand in an element, or in the blocks in it."""
        return self.segments_in(node, int(self.nodes.end[node]))

    def segments_of(self, nodes: Iterable[int]) -> set[int]:
        """Return the numbers of the segments that stand in some blocks."""
        return {one for node in nodes for one in self.segments_within(node)}

    def around(self, node: int) -> list[int]:
        """Return the numbers of an element and of those around it."""
        around = []
        while node >= 0:
            around.append(node)
            node = int(self.nodes.parent[node])
        return around

    def segment_of(self, node: int) -> int:
        """Return the number of the segment that an inline element stands in, or the first one in a block."""
        within = self.segments_within(node)
        if within:
            return within[0]
        return bisect_right(self._inline_to, node)

    @functools.cached_property
    def _inline_from(self) -> list[int]:
        elements: list[int] = self.segments.inline_from.tolist()
        return elements

    @functools.cached_property
    def _owner(self) -> list[int]:
        owners: list[int] = self.segments.owner.tolist()
        return owners

    @functools.cached_property
    def _inline_to(self) -> list[int]:
        elements: list[int] = self.segments.inline_to.tolist()
        return elements

    @functools.cached_property
    def marks(self) -> dict[int, PlacedMark]:
        """The links, images and emphasised texts with a place, by the number of their element; of several the first."""
        marks, placed = self.document.marks, {}
        if marks is None:
            return {}
        columns = (marks.node, marks.segment, marks.start, marks.end, marks.target, marks.label)
        values, encoded = marks.values, {}
        for node, segment, start, end, target, label in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            is_image = self.tags[node] in IMAGES
            if node in placed or (start < 0 and target < 0):
                continue
            text = values[label] if is_image and label >= 0 else ""
            if not is_image and 0 <= start < end:
                if segment not in encoded:
                    encoded[segment] = self.texts[segment].encode()
                text = encoded[segment][start:end].decode("utf-8", "replace").strip()
            address = values[target] if target >= 0 else ""
            placed[node] = PlacedMark(segment, text, address, start <= 0)
        return placed

    def roots(self, anchors: Int64s) -> Int64s:
        """Return the largest element around each of some elements that has none of the others in it.

        Of elements that stand together in one part, the first counts; a part that is alone in what stands around it
        is as deep in the tree as most parts are.

        Args:
            anchors: Numbers of elements, ascending, none in another.

        Returns:
            Numbers of elements, ascending; empty where only one was given.
        """
        nodes = self.nodes
        if len(anchors) < 2:
            return np.zeros(0, np.int64)
        before = np.concatenate([[-1], anchors[:-1]])
        behind = np.concatenate([anchors[1:], [len(nodes.end)]])
        root = anchors.astype(np.int64)
        while True:
            above = nodes.parent[root].astype(np.int64)
            can_rise = (above >= 0) & (before < above) & (behind >= nodes.end[above])
            if not can_rise.any():
                break
            root = np.where(can_rise, above, root)
        depth = Counter(nodes.depth[root].tolist()).most_common(1)[0][0]
        while True:
            is_deep = nodes.depth[root] > depth
            if not is_deep.any():
                break
            root = np.where(is_deep, nodes.parent[root], root)
        is_high = nodes.depth[root] < depth
        for at in np.flatnonzero(is_high).tolist():
            root[at] = self.at_depth(int(anchors[at]), depth)
        return np.unique(root)

    def at_depth(self, node: int, depth: int) -> int:
        """Return the number of the element of a depth that is, or is around, an element at least as deep."""
        while self.nodes.depth[node] > depth:
            node = int(self.nodes.parent[node])
        return node

    def parts(self, roots: Int64s) -> list[Stretch]:
        """Return the parts that have some elements as their roots, with the siblings that stand before or behind each.

        Siblings belong to the root before them, unless one of their shape stands before the first root and there are
        as many as roots: then each part begins with one. Behind the last root only siblings count whose shape stands
        behind another root.

        Args:
            roots: Numbers of elements, ascending, none in another.
        """
        parts: list[Stretch] = []
        for parent in np.unique(self.nodes.parent[roots]).tolist():
            of_parent = set(roots[self.nodes.parent[roots] == parent].tolist())
            parts += self._split(self.children(parent), of_parent)
        return sorted(parts, key=lambda part: part.begin)

    def children(self, parent: int) -> list[int]:
        """Return the numbers of the children of an element, or of the root element for -1."""
        end = int(self.nodes.end[parent]) if parent >= 0 else len(self.nodes.end)
        node, children = parent + 1, []
        while node < end:
            children.append(node)
            node = int(self.nodes.end[node])
        return children

    def _split(self, children: list[int], roots: set[int]) -> list[Stretch]:
        shapes = self.shape[children].tolist()
        at_roots = [at for at, child in enumerate(children) if child in roots]
        others = Counter(
            shape for child, shape in zip(children, shapes, strict=True) if child not in roots
        )
        heads = {shape for shape in shapes[: at_roots[0]] if others[shape] >= len(at_roots)}
        starts = [
            next((at for at in range(last + 1, root) if shapes[at] in heads), root)
            for last, root in zip([-1, *at_roots], at_roots, strict=False)
        ]
        tails = {
            shape
            for root, start in zip(at_roots, starts[1:], strict=False)
            for shape in shapes[root + 1 : start]
        }
        stop = at_roots[-1] + 1
        while stop < len(children) and shapes[stop] in tails:
            stop += 1
        return [
            Stretch(children[root], children[start], int(self.nodes.end[children[behind - 1]]))
            for root, start, behind in zip(at_roots, starts, [*starts[1:], stop], strict=True)
        ]


def _stem(values: tuple[str, str, str, str]) -> str:
    """Return id and first classes of an element without figures and names of states.

    >>> _stem(("post12", "row2 odd post panel", "", ""))
    'post row post'
    """
    identity, classes, _, _ = values
    names = [_FIGURES.sub("", name) for name in classes.split()]
    own = [name for name in names if name and name not in _STATES][:_CLASSES_MAX]
    return " ".join([_FIGURES.sub("", identity), *own])


def _numbered(names: list[str]) -> Int64s:
    """Return a number for each name, equal ones for equal names."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.int64)
