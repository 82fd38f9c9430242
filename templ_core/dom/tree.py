"""Trees whose nodes are columns in document order."""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s
from templ_core.dom._tree import parents_and_ends

Numbers = npt.NDArray[Any]


def tree_of_depths(depth: npt.ArrayLike) -> tuple[Int32s, Int32s]:
    """Return the parent and the subtree's end of each node.

    Args:
        depth: Depth of each node in document order. The first is 0, and no node is more than one
            deeper than the node before it.

    Returns:
        Parents (-1 for nodes of depth 0) and ends (exclusive), both of length n_nodes.

    >>> parent, end = tree_of_depths([0, 1, 2, 1])
    >>> parent.tolist(), end.tolist()
    ([-1, 0, 1, 0], [4, 3, 3, 4])
    """
    return parents_and_ends(np.ascontiguousarray(depth, np.int32))


def sums_above(end: Int32s, values: Numbers) -> Floats:
    """Return the sum of `values` over each node's ancestors, the node included; length n_nodes.

    >>> sums_above(np.array([4, 3, 3, 4]), np.array([1.0, 2, 3, 4])).tolist()
    [1.0, 3.0, 6.0, 5.0]
    """
    closed = np.bincount(end, weights=values, minlength=len(end) + 1)[: len(end)]
    sums: Floats = np.cumsum(values - closed)
    return sums
