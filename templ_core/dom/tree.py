"""Trees as columns of nodes in document order."""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s
from templ_core.dom._tree import parents_and_ends

Numbers = npt.NDArray[Any]


def tree_of_depths(depth: npt.ArrayLike) -> tuple[Int32s, Int32s]:
    """Parents and subtree ends of nodes in document order, from their depths.

    Args:
        depth: Depth of each node, the first 0; a node is at most one deeper than the one before it.

    Returns:
        parent (-1 for nodes of depth 0) and end (exclusive), both of length n_nodes.
    """
    return parents_and_ends(np.ascontiguousarray(depth, np.int32))


def sums_below(end: Int32s, values: Numbers) -> Floats:
    """Sum of `values` over each node's subtree, the node included; length n_nodes."""
    before = np.concatenate([np.zeros(1), np.cumsum(values)])
    sums: Floats = before[end] - before[:-1]
    return sums


def sums_above(end: Int32s, values: Numbers) -> Floats:
    """Sum of `values` over each node's ancestors, the node included; length n_nodes."""
    closed = np.bincount(end, weights=values, minlength=len(end) + 1)[: len(end)]
    sums: Floats = np.cumsum(values - closed)
    return sums
