"""A sum of small decision trees (gradient boosting, Friedman 2001), evaluated on all rows at once.

Small trees by the leaves that their nodes leave possible, one bit each, in any order of the nodes
(QuickScorer: Lucchese et al., SIGIR 2015, section 3); larger ones from the root down.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int32s, UInt32s
from templ_core.page_level.model._tree_ensemble import leaf_sums, tree_sums

LEAVES_MAX = 32
"""Of a small tree."""


class LeafMasks(NamedTuple):
    """Nodes of small trees, one tree after the other, without leaves."""

    feature: Int32s
    threshold: Float32s
    right_leaves: UInt32s
    """The leaves that stay possible when a row's feature is above the threshold, bits from the
    leftmost leaf on: all but those on the left of the node."""
    ends: Int32s
    """Number of nodes up to each tree's end."""
    leaf_values: Float32s
    """(n_trees, LEAVES_MAX)."""


class TreeEnsemble(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Trees one after the other; columns of length n_tree_nodes."""

    feature: Int32s
    """Column that a node looks at."""
    threshold: Float32s
    """Rows with at most this value go left."""
    left: Int32s
    """Number of the left child; a leaf's is itself."""
    right: Int32s
    value: Float32s
    """Log-odds that a leaf adds; 0 elsewhere."""
    roots: Int32s
    """First node of each tree; length n_trees."""
    base: float
    """Log-odds before any tree."""
    depth: int
    """Steps from a root to the deepest leaf."""

    def log_odds(self, rows: Float32s) -> Floats:
        """Log-odds for content of each row of features."""
        if self.leaf_masks is not None:
            return self.base + leaf_sums(rows, *self.leaf_masks)
        sums = tree_sums(
            rows, self.feature, self.threshold, self.left, self.right, self.value, self.roots
        )
        return self.base + sums

    @functools.cached_property
    def leaf_masks(self) -> LeafMasks | None:
        """The trees by their leaves; None where one has more than LEAVES_MAX."""
        left, right = self.left.tolist(), self.right.tolist()
        nodes: list[tuple[int, int]] = []
        ends: list[int] = []
        values = np.zeros((len(self.roots), LEAVES_MAX), np.float32)

        def read(node: int, leaves: list[int]) -> None:
            if left[node] == node:
                leaves.append(node)
                return
            first = len(leaves)
            read(left[node], leaves)
            nodes.append((node, ~((1 << len(leaves)) - (1 << first))))
            read(right[node], leaves)

        for tree, root in enumerate(self.roots.tolist()):
            leaves: list[int] = []
            read(root, leaves)
            if len(leaves) > LEAVES_MAX:
                return None
            values[tree, : len(leaves)] = self.value[leaves]
            ends.append(len(nodes))
        inner = [node for node, _ in nodes]
        return LeafMasks(
            feature=self.feature[inner],
            threshold=self.threshold[inner],
            right_leaves=np.array([mask & 0xFFFFFFFF for _, mask in nodes], np.uint32),
            ends=np.array(ends, np.int32),
            leaf_values=values,
        )


def mean_ensemble(parts: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """One ensemble whose log-odds are the mean of at least one ensemble's."""
    starts = np.cumsum([0, *(len(part.feature) for part in parts[:-1])]).astype(np.int32)
    share = np.float32(1 / len(parts))

    def moved(columns: Sequence[Int32s]) -> Int32s:
        return np.concatenate(
            [column + start for column, start in zip(columns, starts, strict=True)]
        ).astype(np.int32)

    return TreeEnsemble(
        feature=np.concatenate([part.feature for part in parts]),
        threshold=np.concatenate([part.threshold for part in parts]),
        left=moved([part.left for part in parts]),
        right=moved([part.right for part in parts]),
        value=np.concatenate([part.value for part in parts]) * share,
        roots=moved([part.roots for part in parts]),
        base=float(np.mean([part.base for part in parts])),
        depth=max(part.depth for part in parts),
    )
