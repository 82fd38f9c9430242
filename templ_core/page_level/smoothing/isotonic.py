"""Regularised isotonic smoothing of scores on a tree.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 4: minimise the sum of w_i |x_i - y_i| plus a penalty gamma_i for every node that starts a
section, such that a node's score is never below its parent's (1 = template).

This is algorithm BuildError with its slips corrected. A leaf costs |x_i - x_j|, whichever is larger.
gamma is added where a section starts, instead of being subtracted where none does, so that infinite
penalties work. The root starts at its cheapest value. Among equal costs a node stays with its
parent, or else takes the smallest value.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s
from templ_core.page_level.smoothing._smoothing import best_of_values, settle

SCORE_GRID = np.linspace(0.0, 1.0, 64)
"""Scores that `smooth` tries first; the proven bound on the error is sum(w) / (2 * (number of scores - 1))."""


class Smoothed(msgspec.Struct, frozen=True, kw_only=True):
    """Smoothed scores of a tree; columns of length n_nodes."""

    score: Floats
    """y: never below the parent's."""
    section: Int32s
    """Number of each node's section, counted in document order; nodes of a section are connected."""


def smooth(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """Return smoothed scores and sections close to the least cost.

    First the best y among the values of SCORE_GRID is found. Then each section moves to the weighted
    median of its scores, as far as the sections around it allow, which never costs more. Rounding
    an optimal y to the grid keeps its order and starts no section, so the cost is at most
    sum(w) / 126 above the optimum on 64 values. Time is proportional to n_nodes * 64.

    Args:
        parent: Parent of each node in document order (a subtree is a range); -1 for roots.
        score: x, 0 to 1.
        weight: w, not negative; 0 where the node has no score of its own.
        penalty: gamma, what it costs to start a section at each node; not negative, may be
            infinite. Roots start one at no cost.

    Raises:
        ValueError: If the nodes are not in document order.

    Example:
        >>> parent = np.array([-1, 0, 1, 0], np.int32)
        >>> score, ones = np.array([0.1, 0.9, 0.8, 0.2]), np.ones(4)
        >>> smoothed = smooth(parent, score, ones, 0.2 * ones)
        >>> smoothed.section.tolist()
        [0, 1, 1, 0]
        >>> bool((smoothed.score[1:] >= smoothed.score[parent[1:]]).all())
        True
    """
    taken, section = best_of_values(parent, score, weight, penalty, SCORE_GRID)
    ascending = score.argsort(kind="stable")
    settled, section = settle(parent, score, weight, section, SCORE_GRID, taken, ascending)
    return Smoothed(score=settled, section=section)


def smooth_exactly(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """Return smoothed scores and sections of the least cost, for any y among the scores (lemma 3).

    Time and memory are proportional to n_nodes * n_different_scores. `smooth` is measured against
    this function.

    Args:
        parent: Parent of each node in document order (a subtree is a range); -1 for roots.
        score: x, finite.
        weight: w, not negative.
        penalty: gamma, not negative, may be infinite.

    Raises:
        ValueError: If the nodes are not in document order.

    Example:
        >>> parent, ones = np.array([-1, 0, 0], np.int32), np.ones(3)
        >>> smooth_exactly(parent, np.array([0.6, 0.2, 0.9]), ones, 0.1 * ones).score.tolist()
        [0.2, 0.2, 0.9]
    """
    values = np.unique(score[weight > 0])
    values = values if len(values) else np.zeros(1)
    taken, section = best_of_values(parent, score, weight, penalty, values)
    return Smoothed(score=values[taken], section=section)
