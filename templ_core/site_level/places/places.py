"""Where the segments of a page stand, as keys that are equal on all pages of one design.

A place is named by the tags, ids and classes from the root down to its element. Parts of these names
that differ from page to page are left out: digits, and classes that name a category, an author or a
state.
"""

import msgspec

from templ_core.array_types import Int32s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import PLACES_CONFIG
from templ_core.site_level.places._element_types import element_type_rows
from templ_core.site_level.places._places import name_places, page_columns
from templ_core.site_level.strings.page_strings import PageProse, read_prose
from templ_core.site_level.trees.labelled_tree import PageBlocks, page_blocks


class NodePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The places of a page's elements; columns of length n_nodes."""

    path: UInt64s
    """Hash of the stems (tag, id, classes) from the root down to the element."""
    cell: UInt64s
    """Hash of the path together with the positions of layout elements without id and class."""
    anchor: UInt64s
    """Hash of the stem of the nearest named block and of the tags below it: equal for equal parts of
    a page wherever they stand, such as the posts of a thread."""


class PagePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the text of a page stands; columns of length n_segments unless said otherwise."""

    path: UInt64s
    """Path of the segment's owner."""
    cell: UInt64s
    """Cell of the segment's owner."""
    anchor: UInt64s
    """Anchor of the segment's owner."""
    text: UInt64s
    """A hash that is equal for segments of equal words."""
    shape: UInt64s
    """A hash that is equal for segments whose words are equal when all words with digits are."""
    words: Int32s
    """Words of the segment, at least 1."""
    containers: UInt64s
    """Cell of each container; length n_containers. Of elements that hold the same segments, the
    deepest one is a container."""
    first: Int32s
    """First segment of each container; length n_containers."""
    last: Int32s
    """Segment after the last one of each container; length n_containers."""


class DocumentPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """What its site needs to know about the text of a page and its places, whatever the site."""

    types: UInt64s
    """The page's `element_type_rows`."""
    nodes: NodePlaces
    """The places of its elements."""
    segments: PagePlaces
    """The places of its text."""
    blocks: PageBlocks
    """The tree of the page without its texts."""
    prose: PageProse
    """The text of which a site may repeat parts."""


def document_places(document: Document, features: PageFeatures) -> DocumentPlaces:
    """Return the places of a page with at least one segment."""
    types = element_type_rows(document)
    nodes = node_places(document, types)
    return DocumentPlaces(
        types=types,
        nodes=nodes,
        segments=page_places(document, features, nodes),
        blocks=page_blocks(document, types),
        prose=read_prose(features),
    )


def page_places(document: Document, features: PageFeatures, nodes: NodePlaces) -> PagePlaces:
    """Return where the text of a page with at least one segment stands."""
    columns = page_columns(nodes, document.segments.owner, features.tree)
    return PagePlaces(text=features.text, shape=features.shape, **columns)


def node_places(document: Document, types: UInt64s | None = None) -> NodePlaces:
    """Return the places of all elements of a page with at least one element.

    >>> from templ_core.dom.document import parse_document
    >>> one, other = (
    ...     node_places(parse_document(f"<p>{word}<p class=note-{word}>two", "https://e.org/"))
    ...     for word in ("17", "18")
    ... )
    >>> (one.path == other.path).all(), (one.cell == other.cell).all()
    (np.True_, np.True_)

    Args:
        document: The page.
        types: The page's `element_type_rows`, if they are known already.
    """
    if types is None:
        types = element_type_rows(document)
    nodes = document.nodes
    path, cell, anchor = name_places(
        types, nodes.element_type, nodes.parent, PLACES_CONFIG.cell_positions_max
    )
    return NodePlaces(path=path, cell=cell, anchor=anchor)
