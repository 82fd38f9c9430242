"""Regularised isotonic smoothing of scores on a tree.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 4: minimise sum of w_i |x_i - y_i| plus a penalty gamma_i for every node that starts a
section, so that a node's score is never below its parent's (1 = template).

Algorithm BuildError with its slips mended: a leaf costs |x_i - x_j|, whichever is larger; gamma is
added where a section starts instead of being subtracted where none does (infinite penalties work);
the root starts at its cheapest value. Where costs are equal a node stays with its parent, else it
takes the smallest value.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s
from templ_core.page_level.smoothing._smoothing import fill_choices, settle, walk_down

GRID = np.linspace(0.0, 1.0, 64)
_BYTE_VALUES = 256


class Smoothed(msgspec.Struct, frozen=True, kw_only=True):
    """Smoothed scores of a tree; columns of length n_nodes."""

    score: Floats
    """y: never below the parent's."""
    section: Int32s
    """Number of the section, counted in document order; nodes of a section are connected."""


def smooth(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """Smoothed scores and sections, near the least cost.

    The best y on a grid of 64 values; then each section moves to the weighted median of its scores,
    as far as the sections around it allow, which never costs more. Rounding the y of an optimum to
    the grid keeps its order and starts no section, so the cost is at most sum(w) / 126 above the
    optimum. Takes time of n_nodes x 64.

    Args:
        parent: Parent of each node in document order (a subtree is a range); -1 for roots.
        score: x, 0 to 1.
        weight: w, not negative; 0 = the node has no score of its own.
        penalty: gamma, not negative, may be infinite: what it costs to start a section at this
            node. Roots start one for nothing.

    Raises:
        ValueError: the nodes are not in document order.
    """
    taken, section = _smooth_on(GRID, parent, score, weight, penalty)
    ascending = np.argsort(score, kind="stable")
    settled, section = settle(parent, score, weight, section, GRID, taken, ascending)
    return Smoothed(score=settled, section=section)


def smooth_exactly(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """The same at the least cost there is: y may be any of the scores (lemma 3).

    Takes time and memory of n_nodes x n_different_scores.

    Args:
        parent: Parent of each node in document order (a subtree is a range); -1 for roots.
        score: x.
        weight: w, not negative.
        penalty: gamma, not negative, may be infinite.

    Raises:
        ValueError: the nodes are not in document order.
    """
    values = np.unique(score[weight > 0])
    values = values if len(values) else np.zeros(1)
    taken, section = _smooth_on(values, parent, score, weight, penalty)
    return Smoothed(score=values[taken], section=section)


def _smooth_on(
    values: Floats, parent: Int32s, score: Floats, weight: Floats, penalty: Floats
) -> tuple[Int32s, Int32s]:
    """Number of each node's value, and its section."""
    number = np.uint8 if len(values) <= _BYTE_VALUES else np.int32
    choice = np.empty((len(parent), len(values)), number)
    fill_choices(parent, score, weight, penalty, values, choice)
    return walk_down(parent, choice)


def total_cost(
    parent: Int32s, score: Floats, weight: Floats, penalty: Floats, smoothed: Smoothed
) -> float:
    """What a smoothing costs: its distance from the scores, and its sections below the roots."""
    inherits = (parent >= 0) & (smoothed.section == smoothed.section[parent])
    starts = ~inherits & (parent >= 0)
    distance = weight * np.abs(score - smoothed.score)
    return float(distance.sum() + penalty[starts].sum())
