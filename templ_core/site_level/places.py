"""Where the segments of a page stand: keys that are equal on all pages of one design.

A place is named by the tags, ids and classes on the way from the root, without what changes from
page to page (digits, classes that name a category, an author, a state).
"""

import functools
import hashlib
import re

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.dom.tags import INLINE
from templ_core.page_level.characters import UInt64s
from templ_core.page_level.features import PageFeatures
from templ_core.page_level.page_tree import PageTree
from templ_core.site_level._place_names import names_down

Ints = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_DIGITS = re.compile(r"\d+")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)
"""Classes that name what is shown, or its state, and not the place."""
_NAMES = 2
"""Classes of an element that are looked at."""
_ID_CHARS = range(2, 40)
_ATTRIBUTE_CHARS = 512
_CELL_TAGS = frozenset(
    ("table", "tr", "td", "div", "center", "font", "ul", "dl", "form", "section", "tbody", "span")
)
"""Without id and class, elements of these tags are told apart by their position, ..."""
_CELL_POSITIONS = 6
"""... as far as this."""


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Names of the places of a page's elements; columns of length n_nodes."""

    path: UInt64s
    """Stems (tag, id, classes) from the root on."""
    cell: UInt64s
    """The path, where unnamed cells of a layout are told apart by position."""
    anchor: UInt64s
    """Stem of the nearest named block, and the tags below it: equal for equal parts of a page
    wherever they stand, such as the posts of a thread."""


class PagePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the text of a page stands: what its site learns from; columns of length n_segments."""

    path: UInt64s
    cell: UInt64s
    anchor: UInt64s
    text: UInt64s
    """Equal for segments of equal words."""
    shape: UInt64s
    """Equal for segments whose words are equal when all words with digits are."""
    words: Int32s
    """At least 1."""
    boxes: UInt64s
    """Cell of each box: the deepest element of those that hold the same segments; n_boxes."""
    first: Int32s
    """First segment of each box."""
    last: Int32s
    """Segment after each box's last."""


def page_places(document: Document, features: PageFeatures, nodes: Places) -> PagePlaces:
    """Where the text of a page with at least one segment stands.

    Args:
        document: The page.
        features: Its features.
        nodes: The places of its elements.
    """
    owner, tree = document.segments.owner, features.tree
    boxes = box_nodes(tree)
    return PagePlaces(
        path=nodes.path[owner],
        cell=nodes.cell[owner],
        anchor=nodes.anchor[owner],
        text=features.text,
        shape=features.shape,
        words=tree.words.astype(np.int32),
        boxes=nodes.cell[boxes],
        first=tree.first[boxes].astype(np.int32),
        last=tree.last[boxes].astype(np.int32),
    )


def box_nodes(tree: PageTree) -> Ints:
    """The deepest element of each range of segments, in document order; length n_boxes."""
    filled = np.flatnonzero(tree.last > tree.first)
    first, last = tree.first[filled], tree.last[filled]
    deepest = np.ones(len(filled), np.bool_)  # elements of one range follow each other, downwards
    deepest[:-1] = (first[1:] != first[:-1]) | (last[1:] != last[:-1])
    return filled[deepest]


def node_places(document: Document) -> Places:
    """The places of all elements of a page with at least one."""
    nodes = document.nodes
    of_kind = _stems(nodes.kinds)
    stems, tags, is_block = (column[nodes.kind] for column in of_kind)
    marked = stems != tags
    named = marked & (is_block > 0)
    steps = np.stack(
        [stems, stems + _positions(document, marked) * _FACTOR, np.where(named, stems, tags)]
    )
    factors = np.full_like(steps, _FACTOR)
    factors[2, named] = 0
    names = names_down(steps, factors, nodes.parent)
    return Places(path=names[0], cell=names[1], anchor=names[2])


def _stems(kinds: list[tuple[str, str]]) -> UInt64s:
    """Hash of each kind's stem, that of its tag, and whether it is a block; (3, n_kinds)."""
    of_kind = [_hashes(tag, attributes[:_ATTRIBUTE_CHARS]) for tag, attributes in kinds]
    return np.array(of_kind, np.uint64).T


@functools.lru_cache(1 << 16)
def _hashes(tag: str, attributes: str) -> tuple[int, int, int]:
    return _hash(_stem(tag, attributes)), _hash(tag), tag not in INLINE


def _stem(tag: str, attributes: str) -> str:
    """Tag, id and the first classes of an element, without digits and what names no place."""
    if not attributes:
        return tag
    name, _, rest = attributes.partition("\n")
    name = _DIGITS.sub("", name)
    classes = [
        _DIGITS.sub("", one)
        for one in rest.partition("\n")[0].split()
        if _PASSING.match(one) is None
    ]
    marked = [f"#{name}"] if len(name) in _ID_CHARS else []
    return "".join([tag, *marked, *(f".{one}" for one in classes[:_NAMES])])


@functools.lru_cache(1 << 15)
def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _positions(document: Document, marked: npt.NDArray[np.bool_]) -> UInt64s:
    """1 and more for the first, second, ... cell of a parent, 0 for all else.

    Args:
        document: The page.
        marked: Elements with an id or a class, which need no position.
    """
    nodes = document.nodes
    numbers = {tag: number for number, tag in enumerate(sorted(_CELL_TAGS))}
    of_kind = np.array([numbers.get(tag, -1) for tag, _ in nodes.kinds])[nodes.kind]
    cells = np.flatnonzero(of_kind >= 0)
    sibling = nodes.parent[cells] * len(numbers) + of_kind[cells]
    order = np.argsort(sibling, kind="stable")
    starts = np.ones(len(cells), np.bool_)
    starts[1:] = np.diff(sibling[order]) != 0
    number = np.arange(len(cells))
    before = np.empty(len(cells), np.int64)
    before[order] = number - np.maximum.accumulate(np.where(starts, number, 0))
    positions = np.zeros(len(nodes.kind), np.uint64)
    positions[cells] = np.where(marked[cells] | (before >= _CELL_POSITIONS), 0, before + 1)
    return positions
