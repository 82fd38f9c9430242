"""The adjusted Rand index: how alike two segmentations of a page are.

Hubert, Arabie, *Comparing partitions*, Journal of Classification 1985. Chakrabarti et al. (WWW 2007,
section 6.1) apply it to pages: the leaves of a page are the objects, and the section that a leaf
belongs to is its group.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int64s

Grouping = npt.NDArray[np.integer[Any]]
"""The number of the group that each object belongs to. Only equality of the numbers matters."""


def adjusted_rand(one: Grouping, other: Grouping) -> float:
    """Return the adjusted Rand index of two groupings of the same objects.

    The index is 1 for equal groupings, also where all objects are in one group or each object is
    alone. Its expectation is 0 when objects are assigned to groups by chance.

    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([7, 7, 3, 3]))
    1.0
    >>> round(adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])), 2)
    0.0

    Args:
        one: Group of each object; length n_objects.
        other: Group of each object in the other grouping; length n_objects.

    Returns:
        At most 1; it may be negative.
    """
    pair = np.unique(np.stack([one, other]), axis=1, return_counts=True)[1]
    together = _pairs(pair)
    in_one = _pairs(np.unique(one, return_counts=True)[1])
    in_other = _pairs(np.unique(other, return_counts=True)[1])
    all_pairs = len(one) * (len(one) - 1) / 2
    expected = in_one * in_other / all_pairs if all_pairs else 0.0
    largest = (in_one + in_other) / 2
    if largest == expected:
        return 1.0
    return (together - expected) / (largest - expected)


def _pairs(sizes: Int64s) -> float:
    """Return the number of pairs of objects that share a group."""
    return float((sizes * (sizes - 1) / 2).sum())
