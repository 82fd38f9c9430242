"""How alike two segmentations of a page are.

Hubert, Arabie, *Comparing partitions*, J. Classification 1985; as Chakrabarti et al. (WWW 2007,
section 6.1) use it: the leaves of the page are the objects, the fragment that each belongs to is its
group.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int64s

Groups = npt.NDArray[np.integer[Any]]


def adjusted_rand(one: Groups, other: Groups) -> float:
    """Agreement of two groupings of the same objects: at most 1, expected 0 by chance.

    Two groupings that are equal score 1, also where all objects are in one group or each in its own.

    Args:
        one: Group of each object, any numbers.
        other: The same of the other grouping; equal length.
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
    return float((sizes * (sizes - 1) / 2).sum())
