"""RTDM-TD: the restricted top-down mapping of the trees of two pages.

Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, *A Fast and Robust Method for Web Page Template
Detection and Removal*, CIKM 2006. The costs are those of Definition 2 over the mappings of Definition 4, and each
operation costs 1, as in the paper's experiments; where the printed pseudo-code of figures 3 and 4 departs from them,
the definitions are followed:

* deleting and inserting cost the whole subtree, the child itself and the border rows included;
* replacing an inner node pays for the descendants of both sides (figure 3, lines 30 to 35);
* children with equal labels and other subtrees are mapped, never matched for free (line 22);
* a deletion moves on in the first tree, an insertion in the second (figure 4, lines 8 to 11), and every
  choice has a branch of its own: matches first, then deletions, then insertions.

The tree of a page has its block elements, with the text segments as leaves. Inline elements belong to their
segment, and elements without text are left out. The label of an element is the number of its tag, that of a
leaf is the hash of its text. Subtrees with equal identities are equal, text included.
"""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, UInt16s, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level._keyed_sums import common_keys
from templ_core.site_level.places._element_types import element_type_rows
from templ_core.site_level.trees import _trees
from templ_core.site_level.trees._mapping import map_nodes


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


class PageBlocks(msgspec.Struct, frozen=True, kw_only=True):
    """What of a page's tree is stored with the page; columns of length n_nodes, in document order."""

    tags: UInt16s
    """Number of each element's tag, 1 or more; 0 for a leaf of text. The leaves are all segments, in order."""
    depths: Int32s
    """0 for the root; no node is more than one below the node before it."""

    def first(self, nodes_max: int) -> "PageBlocks":
        """Return the first nodes in document order."""
        if self.tags.size <= nodes_max:
            return self
        return PageBlocks(tags=self.tags[:nodes_max], depths=self.depths[:nodes_max])


class LabelledPage(msgspec.Struct, frozen=True, kw_only=True):
    """The tree of a page, and the paths by which it joins a cluster."""

    tree: LabelledTree
    paths: UInt64s
    """Distinct paths of elements, by their tags, ascending. Names of classes and ids say nothing here, because
    many sites generate them with each release."""


def page_blocks(document: Document, types: UInt64s | None = None) -> PageBlocks:
    """Return the tree of a page without its texts.

    >>> from templ_core.dom.document import parse_document
    >>> blocks = page_blocks(
    ...     parse_document("<h1>News</h1><p>Read <b>more</b>", "http://a.example/")
    ... )
    >>> blocks.depths.tolist()  # html, body, h1, its text, p, its text
    [0, 1, 2, 3, 2, 3]
    >>> (blocks.tags == 0).tolist()
    [False, False, False, True, False, True]

    Args:
        document: The page; decoded from its compact form it gives the same tree.
        types: The `element_type_rows` of the page, where they are known already.
    """
    tags, depths = _trees.page_blocks(
        document, element_type_rows(document) if types is None else types
    )
    return PageBlocks(tags=tags, depths=depths)


def labelled(blocks: PageBlocks, texts: UInt64s) -> LabelledPage:
    """Return the tree of a page with its texts.

    Args:
        blocks: The tree without them.
        texts: Hash of each segment's text, by one function for all pages of the site; those behind the last leaf
            are left out.
    """
    label, identity, end, segment, paths = _trees.labelled(blocks.tags, blocks.depths, texts)
    return LabelledPage(
        tree=LabelledTree(
            label=label, identity=identity, depth=blocks.depths, end=end, segment=segment
        ),
        paths=paths,
    )


def node_hashes(texts: Sequence[str]) -> UInt64s:
    """Return a hash of each text, equal for texts that differ in white space or case only.

    >>> one, other = node_hashes(["All  the news", "all the News "])
    >>> one == other
    np.True_
    """
    digests = (
        hashlib.blake2b(" ".join(text.lower().split()).encode(), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def label_page(document: Document, texts: UInt64s | None = None) -> LabelledPage:
    """Return the tree of a page.

    >>> from templ_core.dom.document import parse_document
    >>> page = label_page(parse_document("<h1>News</h1><p>Read <b>more</b>", "http://a.example/"))
    >>> page.tree.segment.tolist()
    [-1, -1, -1, 0, -1, 1]

    Args:
        document: The page.
        texts: Hash of each segment's text; None stands for `node_hashes`.
    """
    return labelled(
        page_blocks(document), node_hashes(document.segments.texts) if texts is None else texts
    )


def likeness(paths: UInt64s, others: UInt64s) -> float:
    """Return how like two pages are by the paths of their elements: Dice's coefficient, 0 to 1.

    >>> likeness(np.array([3, 7], np.uint64), np.array([3, 9], np.uint64))
    0.5
    """
    return 2 * common_keys(paths, others) / max(paths.size + others.size, 1)


# Bounds on the time of a mapping. On five corpora no text changes by them to four places of word F1.
RUN_CELLS_MAX = 1024
"""Pairs of siblings in a run that is aligned exactly; a longer run is paired by label in linear time."""
CELLS_MAX = 1 << 22
"""Pairs of siblings that are aligned exactly in two trees; after them every run is mapped in linear time, so that no
page takes more than some tenths of a second."""
NODES_MAX = 4000
"""Nodes of a page that are mapped, another bound on time: what stands behind them counts at the root."""


class TreeMapping(msgspec.Struct, frozen=True):
    """A restricted top-down mapping: a row for each pair of nodes, and for each node without one.

    The nodes of both trees are in document order.
    """

    cost: int
    left: Int32s
    """Node of the first tree in each row; -1 = the second tree's node is inserted."""
    right: Int32s
    """Node of the second tree in each row; -1 = the first tree's node is deleted."""


def map_trees(
    left: LabelledTree,
    right: LabelledTree,
    run_cells_max: int = RUN_CELLS_MAX,
    cells_max: int = CELLS_MAX,
) -> TreeMapping:
    """Return the mapping of least cost whose roots are a pair (figure 3).

    Of several it is the one with most common nodes. Runs of siblings beyond the bounds
    are not aligned but paired in order by their labels; the mapping is then valid, but perhaps not the cheapest.

    >>> from templ_core.dom.document import parse_document
    >>> one, other = (
    ...     label_page(parse_document(markup, "http://a.example/")).tree
    ...     for markup in ("<h1>Shop</h1><p>Tea", "<h1>Shop</h1><hr><p>Milk<p>Sugar")
    ... )
    >>> mapping = map_trees(one, other)
    >>> mapping.cost  # one text replaced, a paragraph and its text inserted
    3
    >>> mapping.left.tolist()
    [0, 1, 2, 3, 4, 5, -1, -1]
    >>> mapping.right.tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    return TreeMapping(*map_nodes(left, right, run_cells_max, cells_max))
