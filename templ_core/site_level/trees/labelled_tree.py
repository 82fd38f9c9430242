"""A page as a labelled ordered tree: its block elements, with the text segments as leaves.

Inline elements belong to their segment, and elements without text are left out. The label of an
element is its tag, that of a leaf is its text. Subtrees with equal identities are equal, text included.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level.places.element_types import element_type_rows
from templ_core.site_level.places.node_hashes import node_hashes
from templ_core.site_level.trees._labelled_tree import closed_tree, page_tree


class LabelledTree(msgspec.Struct, frozen=True, kw_only=True):
    """A tree as columns in document order, all of length n_nodes; the first node is the root."""

    label: UInt64s
    """Equal for nodes that may stand for each other."""
    identity: UInt64s
    """Equal for equal subtrees."""
    depth: Int32s
    """0 for the root."""
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    segment: Int32s
    """Number of the leaf's segment; -1 for elements."""

    @property
    def is_text(self) -> Bools:
        """Whether each node is a leaf of text."""
        return self.segment >= 0


class LabelledPage(msgspec.Struct, frozen=True, kw_only=True):
    """The tree of a page, and the paths by which it joins a cluster."""

    tree: LabelledTree
    paths: UInt64s
    """Distinct paths of elements, by tag and first class, ascending."""


def label_page(
    document: Document, texts: UInt64s | None = None, types: UInt64s | None = None
) -> LabelledPage:
    """Return the tree of a page.

    >>> from templ_core.dom.document import parse_document
    >>> page = label_page(parse_document("<h1>News</h1><p>Read <b>more</b>", "http://a.example/"))
    >>> page.tree.depth.tolist()  # html, body, h1, its text, p, its text
    [0, 1, 2, 3, 2, 3]
    >>> page.tree.segment.tolist()
    [-1, -1, -1, 0, -1, 1]

    Args:
        document: The page; decoded from its compact form it gives the same tree.
        texts: Hash of each segment's text, by one function for all pages of the site; None stands
            for `node_hashes`.
        types: The `element_type_rows` of the page, where they are known already.
    """
    label, identity, depth, end, segment, paths = page_tree(
        document,
        element_type_rows(document) if types is None else types,
        node_hashes(document.segments.texts) if texts is None else texts,
    )
    tree = LabelledTree(label=label, identity=identity, depth=depth, end=end, segment=segment)
    return LabelledPage(tree=tree, paths=paths)


def build_tree(
    *, label: UInt64s, depth: npt.NDArray[np.integer], segment: npt.NDArray[np.integer]
) -> LabelledTree:
    """Return the tree of these nodes, with the columns that follow from the others.

    >>> tree = build_tree(
    ...     label=np.array([1, 2, 3, 2, 3], np.uint64),
    ...     depth=np.array([0, 1, 2, 1, 2]),
    ...     segment=np.array([-1, -1, 0, -1, 1]),
    ... )
    >>> tree.end.tolist(), bool(tree.identity[1] == tree.identity[3])
    ([5, 3, 3, 5, 5], True)

    Args:
        label: Label of each node in document order.
        depth: Depth of each node; 0 for the root alone.
        segment: Number of each leaf's segment; -1 for elements.
    """
    depths: Int32s = np.ascontiguousarray(depth, np.int32)
    identity, end = closed_tree(label, depths)
    return LabelledTree(
        label=label,
        identity=identity,
        depth=depths,
        end=end,
        segment=segment.astype(np.int32, copy=False),
    )


def tree_part(tree: LabelledTree, kept: Bools) -> LabelledTree:
    """Return the tree of the nodes that are kept; the parent of a kept node must be kept."""
    return build_tree(label=tree.label[kept], depth=tree.depth[kept], segment=tree.segment[kept])
