"""The tree of one cluster of pages by votes: every place seen, on how many pages, with which texts."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.site_level.trees._voted_tree import add_votes, split_replaced
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree, tree_part
from templ_core.site_level.trees.tree_mapping import TreeMapping, map_trees


class VotedTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Pages with each text at each node."""

    start: Int64s
    """The texts of node i are start[i] .. start[i + 1] - 1; length n_nodes + 1."""
    text: UInt64s
    """Labels, each once at a node."""
    pages: Int64s
    """Pages with each text at its node; at least 1."""

    @property
    def distinct(self) -> Int64s:
        """Number of texts at each node."""
        return np.diff(self.start)

    def of(self, kept: Bools) -> "VotedTexts":
        """Return the texts of the nodes that are kept."""
        distinct = self.distinct
        rows = np.repeat(kept, distinct)
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(distinct[kept])])
        return VotedTexts(start=start, text=self.text[rows], pages=self.pages[rows])

    def recurring(self, texts_max: int) -> tuple[Int64s, UInt64s, Int64s]:
        """Return node, text and pages of the texts on several pages, by ascending nodes.

        Of each node they are the `texts_max` texts on most pages, in this order; of texts on equally
        many pages the one with the smaller label comes first.
        """
        node = np.repeat(np.arange(len(self.start) - 1), self.distinct)
        rows = np.flatnonzero(self.pages > 1)
        rows = rows[np.lexsort((self.text[rows], -self.pages[rows], node[rows]))]
        rank = np.arange(rows.size) - np.searchsorted(node[rows], node[rows])
        rows = rows[rank < texts_max]
        return node[rows], self.text[rows], self.pages[rows]


class VotedColumns(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of a voted tree and their votes."""

    tree: LabelledTree
    support: Int64s
    """Pages with each node; never more than its parent has."""
    texts: VotedTexts

    def of(self, kept: Bools) -> "VotedColumns":
        """Return the nodes that are kept; the parent of a kept node must be kept."""
        return VotedColumns(
            tree=tree_part(self.tree, kept),
            support=self.support[kept],
            texts=self.texts.of(kept),
        )


NO_VOTES = VotedColumns(
    tree=build_tree(
        label=np.empty(0, np.uint64), depth=np.empty(0, np.int32), segment=np.empty(0, np.int32)
    ),
    support=np.empty(0, np.int64),
    texts=VotedTexts(
        start=np.zeros(1, np.int64), text=np.empty(0, np.uint64), pages=np.empty(0, np.int64)
    ),
)
"""The columns before the first page."""


class VotedTree:
    """A tree that grows with each page by what the page has beyond it.

    The label of a leaf is its text on most pages, of several the smallest. Of a mapped pair of nodes
    with different labels the page's node is new, unless both are text.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.labelled_tree import label_page
    >>> voted = VotedTree()
    >>> for markup in ("<h1>Shop</h1><p>Tea", "<h1>Shop</h1><p>Milk<p>Sugar"):
    ...     voted.add(label_page(parse_document(markup, "http://a.example/")).tree, nodes_max=100)
    >>> voted.pages, voted.columns.support.tolist()
    (2, [2, 2, 2, 2, 2, 2, 1, 1])
    >>> voted.columns.texts.distinct.tolist()
    [0, 0, 0, 1, 0, 2, 0, 1]
    """

    def __init__(self) -> None:
        self.pages = 0
        """Pages that voted."""
        self.columns = NO_VOTES

    def add(self, page: LabelledTree, nodes_max: int) -> None:
        """Count a page; beyond `nodes_max` the least supported nodes are dropped, the last first."""
        columns = self.columns
        mapping = map_trees(columns.tree, page)
        self.columns = _with_page(columns, mapping, page)
        self.pages += 1
        support = self.columns.support
        if support.size > nodes_max:
            kept = np.zeros(support.size, np.bool_)
            kept[np.argsort(-support, kind="stable")[:nodes_max]] = True
            self.columns = self.columns.of(kept)


def _with_page(columns: VotedColumns, mapping: TreeMapping, page: LabelledTree) -> VotedColumns:
    left, right = split_replaced(mapping, columns.tree, page)
    label, depth, segment, support, start, text, pages = add_votes(left, right, columns, page)
    return VotedColumns(
        tree=build_tree(label=label, depth=depth, segment=segment),
        support=support,
        texts=VotedTexts(start=start, text=text, pages=pages),
    )
