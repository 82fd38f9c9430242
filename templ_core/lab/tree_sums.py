"""Sums over the subtrees of a page, and steps up its tree."""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.dom.document import Document

Numbers = npt.NDArray[Any]


def sums_below(end: Int32s, values: Numbers) -> Floats:
    """Return the sum of `values` over each node's subtree, the node included; length n_nodes.

    >>> sums_below(np.array([4, 3, 3, 4]), np.array([1.0, 2, 3, 4])).tolist()
    [10.0, 5.0, 3.0, 4.0]
    """
    before = np.concatenate([np.zeros(1), np.cumsum(values)])
    sums: Floats = before[end] - before[:-1]
    return sums


def subtree_sums(
    document: Document, values: npt.NDArray[np.floating[Any]]
) -> npt.NDArray[np.floating[Any]]:
    """Return the sum of values, of length n_segments, over the segments inside each element; length n_nodes."""
    nodes = document.nodes
    own = np.bincount(document.segments.owner, weights=values, minlength=len(nodes.tags))
    return sums_below(nodes.end, own)


def climb(step: Int64s) -> Int64s:
    """Return where each node ends up when steps upwards are followed until one leads to itself.

    >>> climb(np.array([0, 0, 1, 3, 3])).tolist()
    [0, 0, 0, 3, 3]
    """
    while True:
        further = step[step]
        if np.array_equal(further, step):
            return step
        step = further
