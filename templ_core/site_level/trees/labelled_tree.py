"""A page as a labelled ordered tree: its block elements, with the text segments as leaves.

Inline elements belong to their segment, and elements without text to nothing. The label of an
element is its tag, that of a leaf is its text. Subtrees with equal identities are equal, text included.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level.places.element_types import element_type_rows
from templ_core.site_level.places.node_hashes import (
    node_hashes,
)
from templ_core.site_level.trees._labelled_tree import closed_tree, page_tree


class LabelledTree(msgspec.Struct, frozen=True, kw_only=True):
    """Columns in document order, all of the same length; the first node is the root."""

    label: UInt64s
    """Equal for nodes that may stand for each other."""
    identity: UInt64s
    """Equal for equal subtrees."""
    depth: Int32s
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    segment: Int32s
    """Number of the leaf's segment; -1 for elements."""

    @property
    def is_text(self) -> Bools:
        """Whether each node is a leaf of text."""
        return self.segment >= 0


class PageTree(msgspec.Struct, frozen=True, kw_only=True):
    """The tree of a page, and what tells its element_type."""

    tree: LabelledTree
    paths: UInt64s
    """Distinct paths of elements, by tag and first class, ascending."""


def tree_of(
    document: Document, texts: UInt64s | None = None, types: UInt64s | None = None
) -> PageTree:
    """The tree of a page.

    Args:
        document: The page; decoded from its compact form it gives the same tree.
        texts: `node_hashes` of its segments, where they are known already.
        types: `element_type_rows` of the page, where they are known already.
    """
    nodes, segments = document.nodes, document.segments
    label, identity, depth, end, segment, paths = page_tree(
        element_type_rows(document) if types is None else types,
        nodes.element_type,
        nodes.parent,
        segments.owner,
        segments.inline_to,
        node_hashes(segments.texts) if texts is None else texts,
    )
    tree = LabelledTree(label=label, identity=identity, depth=depth, end=end, segment=segment)
    return PageTree(tree=tree, paths=paths)


def build_tree(
    *, label: UInt64s, depth: npt.NDArray[np.integer], segment: npt.NDArray[np.integer]
) -> LabelledTree:
    """The tree of nodes in document order, from what cannot be derived."""
    depths: Int32s = np.ascontiguousarray(depth, np.int32)
    identity, end = closed_tree(label, depths)
    return LabelledTree(
        label=label,
        identity=identity,
        depth=depths,
        end=end,
        segment=segment.astype(np.int32, copy=False),
    )
