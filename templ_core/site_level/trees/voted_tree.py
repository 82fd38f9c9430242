"""The tree of one cluster of pages, by votes: every place seen, on how many pages, with which texts."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.site_level.trees import _voted_tree
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree
from templ_core.site_level.trees.tree_mapping import map_trees, tree_part


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """What one page added to a voted tree."""

    nodes: Int64s
    """Numbers of the nodes it has."""
    leaves: Int64s
    """Numbers of those of them that are text."""
    texts: UInt64s
    """Labels of these leaves on the page."""


class VotedTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Pages with each text at each node."""

    start: Int64s
    """The texts of node i are start[i] .. start[i + 1] - 1; length n_nodes + 1."""
    text: UInt64s
    """Labels, each once at a node."""
    pages: Int64s
    """At least 1."""

    def of(self, kept: Bools) -> "VotedTexts":
        """Those of the nodes that are kept."""
        start, text, pages = _voted_tree.kept_texts(
            self.start, self.text, self.pages, kept.view(np.uint8)
        )
        return VotedTexts(start=start, text=text, pages=pages)

    def recurring(self, most: int) -> tuple[Int64s, UInt64s, Int64s]:
        """Node, text and pages of those on several pages, nodes ascending.

        Of each node the `most` on most pages, of several the smallest, in this order.
        """
        return _voted_tree.recurring_texts(self.start, self.text, self.pages, most)


class VotedTree:
    """Grows with each page by what the page has beyond it; a vote can be taken back.

    The label of a leaf is its lead text: the one on most pages, the smallest of several. Of a mapped
    pair of nodes with different labels the page's is new, but where both are text.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.tree = build_tree(
            label=np.empty(0, np.uint64), depth=np.empty(0, np.int32), segment=np.empty(0, np.int32)
        )
        self.support = np.empty(0, np.int64)
        """Pages with each node; never more than its parent has."""
        self.texts = VotedTexts(
            start=np.zeros(1, np.int64), text=np.empty(0, np.uint64), pages=np.empty(0, np.int64)
        )
        self._numbers = np.empty(0, np.int64)
        self._next_number = 0

    def add(self, page: LabelledTree, nodes_max: int) -> Vote:
        """Count a page; beyond `nodes_max` the least supported nodes are dropped, the last first."""
        tree, texts, mapping = self.tree, self.texts, map_trees(self.tree, page)
        left, right = _voted_tree.split_replaced(
            mapping.left,
            mapping.right,
            tree.label,
            tree.end,
            tree.segment,
            page.label,
            page.segment,
        )
        columns, support, numbers, texts_of, vote, next_number = _voted_tree.add_vote(
            left,
            right,
            tree.label,
            tree.depth,
            tree.segment,
            self.support,
            self._numbers,
            texts.start,
            texts.text,
            texts.pages,
            page.label,
            page.depth,
            page.segment,
            self._next_number,
        )
        self.pages += 1
        label, depth, segment = columns
        self.tree = build_tree(label=label, depth=depth, segment=segment)
        self.support, self._numbers, self._next_number = support, numbers, next_number
        start, text, pages = texts_of
        self.texts = VotedTexts(start=start, text=text, pages=pages)
        if support.size > nodes_max:
            kept = np.zeros(support.size, np.bool_)
            kept[np.argsort(-support, kind="stable")[:nodes_max]] = True
            self._keep(kept)
        nodes, leaves, voted = vote
        return Vote(nodes=nodes, leaves=leaves, texts=voted)

    def remove(self, vote: Vote) -> None:
        """Take a page's vote back."""
        self.pages -= 1
        self.support[self._places(vote.nodes)[0]] -= 1
        places, is_kept = self._places(vote.leaves)
        texts = self.texts
        _voted_tree.take_texts(
            texts.start, texts.text, texts.pages, self.tree.label, places, vote.texts[is_kept]
        )
        self._keep(self.support > 0)

    def _places(self, numbers: Int64s) -> tuple[Int64s, Bools]:
        """Where the nodes with these numbers are, and which of them still are."""
        if not self._numbers.size:
            return np.empty(0, np.int64), np.zeros(numbers.size, np.bool_)
        order = np.argsort(self._numbers)
        found = np.searchsorted(self._numbers, numbers, sorter=order)
        places = order[np.minimum(found, order.size - 1)]
        is_kept = self._numbers[places] == numbers
        return places[is_kept], is_kept

    def _keep(self, kept: Bools) -> None:
        self.tree, self.texts = tree_part(self.tree, kept), self.texts.of(kept)
        self.support, self._numbers = self.support[kept], self._numbers[kept]
