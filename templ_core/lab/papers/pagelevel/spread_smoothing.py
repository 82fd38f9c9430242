"""Isotonic smoothing with the objective of the talk on Chakrabarti et al. (WWW 2007).

Slides, "Regularized isotonic regression": minimise sum of alpha_i |x_i - y_i| + beta_i |y_i -
max of the children's y|, so that a node's score is never below its parent's. A step below a node
costs in proportion to its height instead of once.
"""

import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.page_level.smoothing.isotonic import Smoothed

GRID = np.linspace(0.0, 1.0, 33)
_SPREAD_MAX = 1e6
"""Costs more than any page gains by a step."""


def smooth_spread_on_grid(
    parent: Int32s, score: Floats, weight: Floats, penalty: Floats
) -> Smoothed:
    """`smooth_spread` with y on GRID: the best of those values, in place of `isotonic.smooth`.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: x, 0 to 1.
        weight: alpha, not negative.
        penalty: beta; infinite ones are taken for very large.
    """
    return smooth_spread(parent, score, weight, np.minimum(penalty, _SPREAD_MAX), GRID)


def smooth_spread(
    parent: Int32s, score: Floats, weight: Floats, spread_weight: Floats, values: Floats
) -> Smoothed:
    """Smoothed scores at the least cost for y among `values`; exact with all different scores.

    Takes time of n_nodes x n_values^2. Where costs are equal the smallest values are taken.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: x.
        weight: alpha, not negative.
        spread_weight: beta, not negative and finite; of no consequence for leaves.
        values: What y may be, ascending.
    """
    children = _children(parent)
    cost = weight[:, None] * np.abs(score[:, None] - values)
    highest = np.zeros(cost.shape, np.int64)
    spread = np.maximum(values[None, :] - values[:, None], 0)
    below_diagonal = np.tri(len(values), k=-1, dtype=np.bool_)
    for node in reversed(range(len(parent))):
        if children[node]:
            up_to = spread_weight[node] * spread
            for child in children[node]:
                rows = np.where(below_diagonal, np.inf, cost[child])
                up_to += np.minimum.accumulate(rows, axis=1)
            highest[node] = np.argmin(up_to, axis=1)
            cost[node] += up_to.min(axis=1)
    return _walk_down(parent, children, cost, highest, values)


def _children(parent: Int32s) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            children[above].append(node)
    return children


def _walk_down(
    parent: Int32s, children: list[list[int]], cost: Floats, highest: Int64s, values: Floats
) -> Smoothed:
    """Values from the root down: each child's cheapest between its parent's and the limit."""
    taken = np.zeros(len(parent), np.int64)
    section = np.zeros(len(parent), np.int32)
    taken[0] = np.argmin(cost[0])
    sections = 1
    for node, below in enumerate(children):
        low, high = taken[node], highest[node, taken[node]]
        for child in below:
            taken[child] = low + np.argmin(cost[child, low : high + 1])
    for node in range(1, len(parent)):
        if taken[node] == taken[parent[node]]:
            section[node] = section[parent[node]]
        else:
            section[node] = sections
            sections += 1
    return Smoothed(score=values[taken], section=section)
