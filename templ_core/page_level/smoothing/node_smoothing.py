"""The smoothing of PAGELEVEL: scores of a page's elements, small ones hidden in their parents.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5.3.
"""

from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.page_level.features.page_tree import climb
from templ_core.page_level.smoothing.isotonic import Smoothed, smooth

HIDDEN_AREA_PX = 2000.0
"""Nodes of a smaller area are neither classified nor smoothed."""
PENALTY_FACTOR = 0.01
"""c of the penalty that the paper settled on, c * A / A_i."""

Penalty = Literal["area", "nodes", "parent-area"]
PENALTIES: tuple[Penalty, ...] = ("area", "nodes", "parent-area")
Smoother = Callable[[Int32s, Floats, Floats, Floats], Smoothed]


def penalties(penalty: Penalty, factor: float, parent: Int32s, area: Floats) -> Floats:
    """What it costs to start a section at each node; infinite for nodes without area.

    Args:
        penalty: c * A / A_i, c * N / N_i (N: nodes of the subtree) or c * A_parent(i) / A_i.
        factor: c.
        parent: Parent of each node in document order; -1 for the first node, the only root.
        area: Square pixels of each node.
    """
    size = _nodes_inside(parent) if penalty == "nodes" else area
    whole = size[np.maximum(parent, 0)] if penalty == "parent-area" else size.max()
    result = np.full(len(size), np.inf)
    np.divide(factor * whole, size, out=result, where=size > 0)
    return result


def _nodes_inside(parent: Int32s) -> Floats:
    count = np.ones(len(parent))
    for node in range(len(parent) - 1, 0, -1):
        count[parent[node]] += count[node]
    return count


class Thinned(msgspec.Struct, frozen=True, kw_only=True):
    """A tree without some of its nodes."""

    kept: Int64s
    """Nodes that are left, ascending; the root is always left."""
    parent: Int32s
    """Of each kept node, as a number among the kept; -1 for the root."""
    stands_for: Int64s
    """For every node, the number of the kept node it is read off: itself or nearest above."""


def leave_out(parent: Int32s, out: Bools) -> Thinned:
    """The tree without the nodes of `out`; children of those move to the nearest node above."""
    above = np.maximum(parent, 0)
    nearest = climb(np.where(out, above, np.arange(len(parent))))
    kept = np.flatnonzero(nearest == np.arange(len(parent)))
    number = np.zeros(len(parent), np.int64)
    number[kept] = np.arange(len(kept))
    new_parent = np.where(parent[kept] < 0, -1, number[nearest[above[kept]]])
    return Thinned(kept=kept, parent=new_parent.astype(np.int32), stands_for=number[nearest])


def smooth_nodes(
    parent: Int32s,
    score: Floats,
    area: Floats,
    penalty: Floats,
    *,
    hidden_area: float = HIDDEN_AREA_PX,
    smoother: Smoother = smooth,
) -> Smoothed:
    """Smoothed scores and sections of all elements of a page.

    An element with k hidden ones inside counts k + 1 times; one without a score is left out. Both
    are read off the nearest element above them. An element without a box (a menu that is folded in,
    say) has no place in a section of the page that is seen: it keeps its own score.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: Templateness, 0 to 1; NaN = none.
        area: Square pixels of each node; 0 = no box.
        penalty: What it costs to start a section at each node.
        hidden_area: Nodes of a smaller area are hidden.
        smoother: How the tree that is left is smoothed.
    """
    scored = ~np.isnan(score)
    tree = leave_out(parent, ~scored | (area < hidden_area))
    boxed = scored & (area > 0)
    folded = np.bincount(tree.stands_for[boxed], minlength=len(tree.kept))
    weight = np.where(scored[tree.kept], folded, 0.0)
    x = np.nan_to_num(score[tree.kept])
    smoothed = smoother(tree.parent, x, weight, penalty[tree.kept])
    above = smoothed.score[tree.stands_for]
    return Smoothed(
        score=np.where(scored & ~boxed, score, above), section=smoothed.section[tree.stands_for]
    )
