"""A sum of small decision trees (gradient boosting, Friedman 2001), evaluated on all rows at once.

Trees are read by the leaves that their nodes leave possible, one bit each, in any order of the nodes
(QuickScorer: Lucchese et al., SIGIR 2015, section 3).
"""

import functools
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int32s, UInt32s
from templ_core.page_level.model._log_odds import leaf_sums

LEAVES_MAX = 32
"""Most leaves of a tree: the bits of a 32-bit number."""


class LeafMasks(NamedTuple):
    """The inner nodes of small trees, one tree after the other; columns of length n_inner_nodes."""

    feature: Int32s
    """Column of the feature that each node tests."""
    threshold: Float32s
    """Rows with at most this value go left."""
    right_leaves: UInt32s
    """The leaves that stay possible for a row that goes right, one bit each from the leftmost on.

    They are all except those in the node's left subtree.
    """
    ends: Int32s
    """Number of nodes up to the end of each tree; length n_trees."""
    leaf_values: Float32s
    """(n_trees, LEAVES_MAX): log-odds that each leaf adds."""


class TreeEnsemble(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Trees one after the other; columns have length n_tree_nodes unless they say otherwise."""

    feature: Int32s
    """Column of the feature that each node tests."""
    threshold: Float32s
    """Rows with at most this value go left."""
    left: Int32s
    """Number of the left child; a leaf's is its own."""
    right: Int32s
    """Number of the right child; a leaf's is its own."""
    value: Float32s
    """Log-odds that a leaf adds; 0 for inner nodes."""
    roots: Int32s
    """First node of each tree; length n_trees."""
    base: float
    """Log-odds before any tree."""
    depth: int
    """Number of steps from a root to the deepest leaf."""

    def log_odds(self, rows: Float32s) -> Floats:
        """Return log-odds for content of each row of features.

        Args:
            rows: (n_segments, n_features).
        """
        return leaf_sums(rows, self.leaf_masks, self.base)

    def require_few_leaves(self) -> None:
        """Refuse trees with more than LEAVES_MAX leaves.

        Raises:
            ValueError: There is such a tree.
        """
        _ = self.leaf_masks

    @functools.cached_property
    def leaf_masks(self) -> LeafMasks:
        """The trees by their leaves."""
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
                raise ValueError(f"a tree of {len(leaves)} leaves, and {LEAVES_MAX} is the most")
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
