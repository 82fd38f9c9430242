"""The three variants of PAGELEVEL: basic, basic-merge and smooth.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007, sections 5.3 and 6.1.
Scores of all elements are smoothed, small ones hidden in their parents.
"""

from typing import Literal

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.lab.evaluation.segments import Grouping
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures, leave_out
from templ_core.lab.papers.pagelevel.smoothed_classifier import segment_scores
from templ_core.page_level.smoothing import Smoothed, smooth

HIDDEN_AREA_PX = 2000.0
"""Nodes with a smaller area, in square pixels, are neither classified nor smoothed (section 5.3)."""
PENALTY_FACTOR = 0.01
"""c of the penalty c * A / A_i that the paper settled on."""

Penalty = Literal["area", "nodes", "parent-area"]
PENALTIES: tuple[Penalty, ...] = ("area", "nodes", "parent-area")


def penalties(penalty: Penalty, factor: float, parent: Int32s, area: Floats) -> Floats:
    """Return what it costs to start a section at each node; infinite for nodes without area.

    Args:
        penalty: c * A / A_i, c * N / N_i (N: nodes of the subtree) or c * A_parent(i) / A_i.
        factor: c.
        parent: Parent of each node in document order; -1 for the first node, the only root.
        area: Square pixels of each node.

    Example:
        >>> chain = np.array([-1, 0, 1], np.int32)
        >>> penalties("area", 0.01, chain, np.array([400.0, 100.0, 0.0])).tolist()
        [0.01, 0.04, inf]
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


def smooth_nodes(
    parent: Int32s,
    score: Floats,
    area: Floats,
    penalty: Floats,
    *,
    hidden_area: float = HIDDEN_AREA_PX,
) -> Smoothed:
    """Return smoothed scores and sections of all elements of a page.

    An element with k hidden ones inside counts k + 1 times. Hidden elements, and elements without a
    score, take the result of the nearest element above them. An element without area (a folded
    menu, for example) has no place in a visible section of the page: it keeps its own score.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: Templateness, 0 to 1; NaN where there is none.
        area: Square pixels of each node; 0 where it is not shown.
        penalty: What it costs to start a section at each node.
        hidden_area: Nodes of a smaller area, in square pixels, are hidden.

    Example:
        >>> chain, area = np.array([-1, 0, 0], np.int32), np.array([9e4, 4e4, 1e3])
        >>> smoothed = smooth_nodes(chain, np.array([0.0, 1.0, 1.0]), area, np.zeros(3))
        >>> smoothed.score.tolist(), smoothed.section.tolist()
        ([0.0, 1.0, 0.0], [0, 1, 0])
    """
    scored = ~np.isnan(score)
    tree = leave_out(parent, ~scored | (area < hidden_area))
    shown = scored & (area > 0)
    hidden = np.bincount(tree.stands_for[shown], minlength=len(tree.kept))
    weight = np.where(scored[tree.kept], hidden, 0.0)
    x = np.nan_to_num(score[tree.kept])
    smoothed = smooth(tree.parent, x, weight, penalty[tree.kept])
    above = smoothed.score[tree.stands_for]
    return Smoothed(
        score=np.where(scored & ~shown, score, above), section=smoothed.section[tree.stands_for]
    )


_TEMPLATE_ABOVE = 0.5
"""Segments with more templateness are template."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a variant for the segments of a page; columns of length n_segments."""

    templateness: Floats
    """0 to 1."""
    group: Grouping
    """The segmentation of the page."""

    @property
    def kept(self) -> Bools:
        """Whether each segment is kept, because it is not template."""
        return self.templateness <= _TEMPLATE_ABOVE


def basic_variant(templateness: Floats) -> Variant:
    """Return the variant "basic": the classifier alone.

    Neighbours hardly ever have equal scores, so each segment is a group of its own.
    """
    return Variant(templateness=templateness, group=np.arange(len(templateness)))


def basic_merge_variant(templateness: Floats, words: Floats, delta: float) -> Variant:
    """Return the variant "basic-merge", which merges neighbours with similar scores.

    Neighbours whose scores differ by less than delta form a group with their mean score.

    >>> merged = basic_merge_variant(np.array([0.1, 0.3, 0.9]), np.array([3.0, 1.0, 1.0]), 0.25)
    >>> merged.group.tolist(), merged.templateness.round(2).tolist()
    ([0, 0, 1], [0.15, 0.15, 0.9])
    """
    apart = np.abs(np.diff(templateness, prepend=-np.inf)) >= delta
    group = np.cumsum(apart) - 1
    mean = np.bincount(group, templateness * words) / np.bincount(group, words)
    return Variant(templateness=mean[group], group=group)


def smooth_variant(
    features: NodeFeatures,
    owner: Int32s,
    templateness: Floats,
    factor: float = PENALTY_FACTOR,
    penalty: Penalty = "area",
) -> Variant:
    """Return the variant "smooth": smoothed scores, grouped by the section that a segment is in."""
    costs = penalties(penalty, factor, features.parent, features.area)
    result = smooth_nodes(features.parent, templateness, features.area, costs)
    place = np.searchsorted(features.node, owner)
    return Variant(
        templateness=segment_scores(features, owner, result.score), group=result.section[place]
    )
