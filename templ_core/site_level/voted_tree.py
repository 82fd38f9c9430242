"""The tree of one kind of page, by votes: every place seen, on how many pages, with which texts."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.site_level.frequency import UInt64s
from templ_core.site_level.labelled_tree import LabelledTree, build_tree
from templ_core.site_level.tree_mapping import Mapping, map_trees

Int64s = npt.NDArray[np.int64]
Places = npt.NDArray[np.integer[Any]]


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """What one page added to a voted tree."""

    nodes: Int64s
    """Numbers of the nodes it has."""
    leaves: Int64s
    """Numbers of those of them that are text."""
    texts: UInt64s
    """Labels of these leaves on the page."""


class VotedTree:
    """Grows with each page by what the page has beyond it; a vote can be taken back.

    The label of a leaf is its lead text: the one on most pages, the smallest of several.
    """

    def __init__(self) -> None:
        self.pages = 0
        self.tree = build_tree(
            label=np.empty(0, np.uint64), depth=np.empty(0, np.int32), segment=np.empty(0, np.int32)
        )
        self.support = np.empty(0, np.int64)
        """Pages with each node; never more than its parent has."""
        self._numbers = np.empty(0, np.int64)
        self._next_number = 0
        self._texts: dict[int, dict[int, int]] = {}

    def add(self, page: LabelledTree, nodes_max: int) -> Vote:
        """Count a page; beyond `nodes_max` the least supported nodes are dropped, the last first."""
        mapping = split_replaced(map_trees(self.tree, page), self.tree, page)
        old, new = mapping.left, mapping.right
        is_old, is_new = old >= 0, new >= 0
        added = np.count_nonzero(~is_old)
        numbers = _either(self._numbers, old, np.zeros(page.label.size, np.int64), new)
        numbers[~is_old] = np.arange(self._next_number, self._next_number + added)
        self._next_number += int(added)
        is_leaf = is_new.copy()
        is_leaf[is_new] = page.is_text[new[is_new]]
        vote = Vote(nodes=numbers[is_new], leaves=numbers[is_leaf], texts=page.label[new[is_leaf]])
        label = _either(self.tree.label, old, page.label, new)
        label[is_leaf] = self._count_texts(vote, label[is_leaf].tolist())
        self.pages += 1
        self._keep(
            np.ones(old.size, np.bool_),
            label,
            _either(self.tree.depth, old, page.depth, new),
            _either(self.tree.segment, old, page.segment, new),
            _either(self.support, old, np.zeros(page.label.size, np.int64), new) + is_new,
            numbers,
        )
        if self.support.size > nodes_max:
            self._drop(nodes_max)
        return vote

    def _count_texts(self, vote: Vote, leads: list[int]) -> list[int]:
        """The lead texts of the vote's leaves once its texts are counted."""
        for place, (number, text) in enumerate(
            zip(vote.leaves.tolist(), vote.texts.tolist(), strict=True)
        ):
            counts = self._texts.get(number)
            if counts is None:
                self._texts[number] = {text: 1}
                continue
            count = counts[text] = counts.get(text, 0) + 1
            lead = leads[place]
            if text != lead and (-count, text) < (-counts[lead], lead):
                leads[place] = text
        return leads

    def remove(self, vote: Vote) -> None:
        """Take a page's vote back."""
        self.pages -= 1
        support, label = self.support.copy(), self.tree.label.copy()
        support[self._places(vote.nodes)[0]] -= 1
        places, is_kept = self._places(vote.leaves)
        texts = vote.texts[is_kept].tolist()
        for place, text in zip(places.tolist(), texts, strict=True):
            counts = self._texts[int(self._numbers[place])]
            counts[text] -= 1
            if not counts[text]:
                del counts[text]
            if counts:
                label[place] = min(counts.items(), key=lambda one: (-one[1], one[0]))[0]
        kept = support > 0
        self._keep(kept, label, self.tree.depth, self.tree.segment, support, self._numbers)

    def _places(self, numbers: Int64s) -> tuple[Places, npt.NDArray[np.bool_]]:
        """Where the nodes with these numbers are, and which of them still are."""
        if not self._numbers.size:
            return np.empty(0, np.int64), np.zeros(numbers.size, np.bool_)
        order = np.argsort(self._numbers)
        found = np.searchsorted(self._numbers, numbers, sorter=order)
        places = order[np.minimum(found, order.size - 1)]
        is_kept = self._numbers[places] == numbers
        return places[is_kept], is_kept

    def _drop(self, nodes_max: int) -> None:
        kept = np.zeros(self.support.size, np.bool_)
        kept[np.argsort(-self.support, kind="stable")[:nodes_max]] = True
        tree = self.tree
        self._keep(kept, tree.label, tree.depth, tree.segment, self.support, self._numbers)

    def _keep(
        self,
        kept: npt.NDArray[np.bool_],
        label: UInt64s,
        depth: Places,
        segment: Places,
        support: Int64s,
        numbers: Int64s,
    ) -> None:
        for number in numbers[~kept].tolist():
            self._texts.pop(number, None)
        self.support, self._numbers = support[kept], numbers[kept]
        self.tree = build_tree(label=label[kept], depth=depth[kept], segment=segment[kept])

    def texts(self) -> list[dict[int, int]]:
        """Pages with each text, by label, of each node; empty for elements."""
        return [self._texts.get(number, {}) for number in self._numbers.tolist()]


def _either(
    values: npt.NDArray[Any], old: Places, others: npt.NDArray[Any], new: Places
) -> npt.NDArray[Any]:
    """The value of the old node where there is one, else that of the new one."""
    return np.concatenate([values, others])[np.where(old >= 0, old, new + values.size)]


def split_replaced(mapping: Mapping, left: LabelledTree, right: LabelledTree) -> Mapping:
    """The mapping with replaced nodes as deleted and inserted ones, but for text against text."""
    paired = np.flatnonzero((mapping.left >= 0) & (mapping.right >= 0))
    ones, others = mapping.left[paired], mapping.right[paired]
    is_split = (left.label[ones] != right.label[others]) & ~(
        left.is_text[ones] & right.is_text[others]
    )
    if not is_split.any():
        return mapping
    split, ones, others = paired[is_split], ones[is_split], others[is_split]
    kept_right = mapping.right.copy()
    kept_right[split] = -1
    behind = split + left.end[ones] - ones
    return Mapping(
        cost=mapping.cost,
        left=np.insert(mapping.left, behind, -1),
        right=np.insert(kept_right, behind, others),
    )
