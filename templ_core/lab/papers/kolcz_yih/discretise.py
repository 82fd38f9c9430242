"""Discretisation of a feature by the minimum description length principle.

Fayyad, Irani, *Multi-Interval Discretization of Continuous-Valued Attributes for Classification
Learning*, IJCAI 1993: an interval is split where the class entropy falls most, as long as the gain
is larger than the cost of describing the cut.
"""

import numpy as np

from templ_core.array_types import Bools, Floats, Int64s

_EQUAL = 1e-12
"""Entropies that differ by less are equal, so that rounding does not decide."""


def cut_points(values: Floats, positive: Bools) -> Floats:
    """Return the ascending borders of the intervals of a feature.

    Values above a border are in the next interval. A feature that does not help to tell the classes
    apart has no borders.

    >>> values = np.arange(100.0)
    >>> cut_points(values, values > 30).tolist()
    [30.5]

    Args:
        values: Values of the feature, in any order.
        positive: Whether each value belongs to the positive class.
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
    """Return how many distinct values are left of the best cut, or None if no cut is worth its cost.

    Args:
        size: Cumulative number of values, beginning before the interval.
        positives: Cumulative number of positive values, beginning before the interval.
    """
    total, positive = int(size[-1] - size[0]), int(positives[-1] - positives[0])
    if len(size) < 3 or positive in {0, total}:
        return None
    left, left_positive = size[1:-1] - size[0], positives[1:-1] - positives[0]
    right, right_positive = total - left, positive - left_positive
    entropies = _entropy(left, left_positive), _entropy(right, right_positive)
    mixed = (left * entropies[0] + right * entropies[1]) / total
    best = int(np.flatnonzero(mixed <= mixed.min() + _EQUAL)[0])
    whole = float(_entropy(np.array([total]), np.array([positive]))[0])
    classes = [
        1 + (0 < found < number)
        for number, found in (
            (int(left[best]), int(left_positive[best])),
            (int(right[best]), int(right_positive[best])),
        )
    ]
    cost_bits = np.log2(3**2 - 2) - (
        2 * whole - classes[0] * entropies[0][best] - classes[1] * entropies[1][best]
    )
    if whole - mixed[best] <= (np.log2(total - 1) + cost_bits) / total + _EQUAL:
        return None
    return best + 1


def _entropy(total: Int64s, positive: Int64s) -> Floats:
    """Return the class entropy in bits if `positive` of `total` values are of one class."""
    share = positive / np.maximum(total, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = share * np.log2(share) + (1 - share) * np.log2(1 - share)
    return -np.nan_to_num(bits)
