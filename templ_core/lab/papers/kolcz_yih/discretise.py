"""Cut points of a feature by minimum description length.

Fayyad, Irani, *Multi-Interval Discretization of Continuous-Valued Attributes for Classification
Learning*, IJCAI 1993: an interval is split where the class entropy falls most, as long as the gain
pays for telling the cut.
"""

import numpy as np

from templ_core.array_types import Bools, Floats, Int64s

_EQUAL = 1e-12
"""Entropies closer than this are equal, whatever the machine's rounding."""


def cut_points(values: Floats, positive: Bools) -> Floats:
    """Ascending borders of the intervals; values above a border are in the next interval.

    Args:
        values: Of the feature.
        positive: Class of each value.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    known, first = np.unique(ordered, return_index=True)
    ends = np.append(first[1:], len(ordered))
    below = np.concatenate([[0], np.cumsum(positive[order])])
    size = np.concatenate([[0], ends])
    positives = below[size]
    cuts: list[int] = []
    todo = [(0, len(known))]
    while todo:
        start, stop = todo.pop()
        cut = _best_cut(size[start : stop + 1], positives[start : stop + 1])
        if cut is not None:
            cuts.append(start + cut)
            todo += [(start, start + cut), (start + cut, stop)]
    return np.array([(known[cut - 1] + known[cut]) / 2 for cut in sorted(cuts)], np.float64)


def _best_cut(size: Int64s, positives: Int64s) -> int | None:
    """How many distinct values go left at the cut that pays; None where none does.

    Args:
        size: Cumulative number of values, with the one before the interval.
        positives: Cumulative number of positive ones.
    """
    total, positive = int(size[-1] - size[0]), int(positives[-1] - positives[0])
    if len(size) < 3 or positive in {0, total}:
        return None
    left, left_positive = size[1:-1] - size[0], positives[1:-1] - positives[0]
    right, right_positive = total - left, positive - left_positive
    entropies = entropy(left, left_positive), entropy(right, right_positive)
    mixed = (left * entropies[0] + right * entropies[1]) / total
    best = int(np.flatnonzero(mixed <= mixed.min() + _EQUAL)[0])
    whole = float(entropy(np.array([total]), np.array([positive]))[0])
    classes = [
        1 + (0 < found < number)
        for number, found in (
            (int(left[best]), int(left_positive[best])),
            (int(right[best]), int(right_positive[best])),
        )
    ]
    told = np.log2(3**2 - 2) - (
        2 * whole - classes[0] * entropies[0][best] - classes[1] * entropies[1][best]
    )
    if whole - mixed[best] <= (np.log2(total - 1) + told) / total + _EQUAL:
        return None
    return best + 1


def entropy(total: Int64s, positive: Int64s) -> Floats:
    """Class entropy in bits, where `positive` of `total` are of one class."""
    share = positive / np.maximum(total, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = share * np.log2(share) + (1 - share) * np.log2(1 - share)
    return -np.nan_to_num(bits)
