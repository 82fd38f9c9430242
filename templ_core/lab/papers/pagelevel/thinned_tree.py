"""A tree without some of its nodes."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.page_level.page_tree import climb


class ThinnedTree(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of a tree that are left, and where the others went."""

    kept: Int64s
    """Nodes that are left, ascending; the root is always left."""
    parent: Int32s
    """Parent of each kept node, as a number among the kept; -1 for the root."""
    stands_for: Int64s
    """Number of each node among the kept, or of the nearest kept one above it; length n_nodes."""


def leave_out(parent: Int32s, out: Bools) -> ThinnedTree:
    """Return the tree without the nodes of `out`; their children move to the nearest node above.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        out: Nodes to leave out; the root stays in any case.

    Example:
        >>> tree = leave_out(np.array([-1, 0, 1], np.int32), np.array([False, True, False]))
        >>> tree.kept.tolist(), tree.parent.tolist(), tree.stands_for.tolist()
        ([0, 2], [-1, 0], [0, 0, 1])
    """
    above = np.maximum(parent, 0)
    nearest = climb(np.where(out, above, np.arange(len(parent))))
    kept = np.flatnonzero(nearest == np.arange(len(parent)))
    number = np.zeros(len(parent), np.int64)
    number[kept] = np.arange(len(kept))
    new_parent = np.where(parent[kept] < 0, -1, number[nearest[above[kept]]])
    return ThinnedTree(kept=kept, parent=new_parent.astype(np.int32), stands_for=number[nearest])
