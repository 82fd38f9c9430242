"""Isotonic smoothing with the objective of the authors' talk on Chakrabarti et al. (WWW 2007).

The slide "Regularized isotonic regression" minimises the sum of alpha_i |x_i - y_i| +
beta_i |y_i - max of the children's y|, so that the score of a node is never below its parent's. A
step from a node to its children costs in proportion to its height, where the paper has a fixed cost.
"""

import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.page_level.smoothing.isotonic import Smoothed

SPREAD_GRID = np.linspace(0.0, 1.0, 33)
"""The values that scores may take."""
_SPREAD_MAX = 1e6
"""Replaces infinite weights; it costs more than any page gains by a step."""


def smooth_spread_on_grid(
    parent: Int32s, score: Floats, weight: Floats, penalty: Floats
) -> Smoothed:
    """Return the scores on SPREAD_GRID with the least cost, as a replacement of `isotonic.smooth`.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: x, 0 to 1; length n_nodes.
        weight: alpha, not negative; length n_nodes.
        penalty: beta, not negative, may be infinite; length n_nodes.
    """
    return smooth_spread(parent, score, weight, np.minimum(penalty, _SPREAD_MAX), SPREAD_GRID)


def smooth_spread(
    parent: Int32s, score: Floats, weight: Floats, spread_weight: Floats, values: Floats
) -> Smoothed:
    """Return the smoothed scores y among `values` with the least cost.

    The result is the exact optimum if `values` are all different scores. Of equal costs the smallest
    values are taken. It takes time of n_nodes x n_values^2.

    >>> parent = np.array([-1, 0, 0], np.int32)
    >>> score, weight = np.array([0.2, 0.3, 0.9]), np.ones(3)
    >>> smooth_spread(parent, score, weight, np.zeros(3), score).score.tolist()
    [0.2, 0.3, 0.9]

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: x; length n_nodes.
        weight: alpha, not negative; length n_nodes.
        spread_weight: beta, not negative and finite, ignored for leaves; length n_nodes.
        values: The values that y may take, ascending.
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
    """Return the children of each node."""
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            children[above].append(node)
    return children


def _walk_down(
    parent: Int32s, children: list[list[int]], cost: Floats, highest: Int64s, values: Floats
) -> Smoothed:
    """Choose values from the root down: for each child the cheapest one that its parent allows."""
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
