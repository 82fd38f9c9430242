"""Regularised isotonic smoothing of scores on a tree.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 3.3: minimise sum of w_i |x_i - y_i| plus a penalty gamma_i for every node that starts a
section, so that a node's score is never below its parent's (1 = template). Scores stay exact, only
y is restricted to a grid of step s; the excess over the optimum is at most sum(w) * s / 2.
"""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Int32s = npt.NDArray[np.int32]

GRID = np.linspace(0.0, 1.0, 64)


class Smoothed(msgspec.Struct, frozen=True, kw_only=True):
    """Result of `smooth`; columns of length n_nodes."""

    score: Floats
    """y: never below the parent's; on the grid."""
    section: Int32s
    """Number of the section, counted in document order; nodes of a section are connected."""


def smooth(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """Smoothed scores and sections of a tree.

    Args:
        parent: Parent of each node in document order, -1 for the first node, the only root.
        score: x, 0 to 1.
        weight: w, not negative; 0 = the node has no score of its own.
        penalty: gamma, not negative: what it costs to start a section at this node.
    """
    count = len(parent)
    if not count:
        return Smoothed(score=np.empty(0), section=np.empty(0, np.int32))
    levels = _levels(parent)
    cost = weight[:, None] * np.abs(score[:, None] - GRID)
    onward = np.empty_like(cost)
    for level in reversed(levels):
        own = cost[level]
        best_above = np.minimum.accumulate(own[:, ::-1], axis=1)[:, ::-1]
        onward[level] = best_above + penalty[level, None]
        if parent[level[0]] >= 0:
            joined = np.minimum(own, onward[level])
            first = np.flatnonzero(np.diff(parent[level], prepend=-1))
            cost[parent[level][first]] += np.add.reduceat(joined, first, axis=0)
    return _walk_back(parent, levels, cost, onward)


def _levels(parent: Int32s) -> list[npt.NDArray[np.intp]]:
    """Nodes by depth; siblings stay together."""
    depth = np.zeros(len(parent), np.int32)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    order = np.lexsort((np.arange(len(parent)), parent, depth))
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


def _walk_back(
    parent: Int32s, levels: list[npt.NDArray[np.intp]], cost: Floats, onward: Floats
) -> Smoothed:
    """Values from the root down: stay with the parent where that costs no more than a section."""
    value = np.zeros(len(parent), np.intp)
    starts = np.ones(len(parent), np.bool_)
    value[0] = int(np.argmin(cost[0]))
    for level in levels[1:]:
        inherited = value[parent[level]]
        stays = np.take_along_axis(cost[level], inherited[:, None], axis=1) <= np.take_along_axis(
            onward[level], inherited[:, None], axis=1
        )
        allowed = np.where(np.arange(len(GRID)) >= inherited[:, None], cost[level], np.inf)
        value[level] = np.where(stays[:, 0], inherited, np.argmin(allowed, axis=1))
        starts[level] = value[level] != inherited
    section = np.zeros(len(parent), np.int32)
    numbers = np.cumsum(starts) - 1
    for node in range(1, len(parent)):
        section[node] = numbers[node] if starts[node] else section[parent[node]]
    return Smoothed(score=GRID[value], section=section)
