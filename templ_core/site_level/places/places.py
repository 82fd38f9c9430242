"""Where the segments of a page stand: keys that are equal on all pages of one design.

A place is named by the tags, ids and classes on the way from the root, without what changes from
page to page (digits, classes that name a category, an author, a state).
"""

import msgspec

from templ_core.array_types import Int32s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.containers.containers import box_nodes
from templ_core.site_level.places._place_names import name_places, place_columns
from templ_core.site_level.places.element_types import element_type_rows

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
    tree = features.tree
    path, cell, anchor, words, boxes, first, last = place_columns(
        nodes.path,
        nodes.cell,
        nodes.anchor,
        document.segments.owner,
        box_nodes(tree),
        tree.first,
        tree.last,
        tree.words,
    )
    return PagePlaces(
        path=path,
        cell=cell,
        anchor=anchor,
        text=features.text,
        shape=features.shape,
        words=words,
        boxes=boxes,
        first=first,
        last=last,
    )


def node_places(document: Document, types: UInt64s | None = None) -> Places:
    """The places of all elements of a page with at least one.

    Args:
        document: The page.
        types: `element_type_rows` of the page, where they are known already.
    """
    if types is None:
        types = element_type_rows(document)
    nodes = document.nodes
    path, cell, anchor = name_places(types, nodes.element_type, nodes.parent, _CELL_POSITIONS)
    return Places(path=path, cell=cell, anchor=anchor)
