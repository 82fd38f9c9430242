"""The three variants of PAGELEVEL: basic, basic-merge and smooth.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 6.1.
"""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.lab.evaluation.adjusted_rand import Grouping
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures
from templ_core.lab.papers.pagelevel.node_smoothing import (
    PENALTY_FACTOR,
    Penalty,
    Smoother,
    penalties,
    smooth_nodes,
)
from templ_core.lab.papers.pagelevel.smoothed_classifier import segment_scores
from templ_core.page_level.smoothing.isotonic import smooth

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

    Args:
        templateness: Templateness of the block that each segment is in.
    """
    return Variant(templateness=templateness, group=np.arange(len(templateness)))


def basic_merge_variant(templateness: Floats, words: Floats, delta: float) -> Variant:
    """Return the variant "basic-merge", which merges neighbours with similar scores.

    Neighbours whose scores differ by less than delta form a group with their mean score.

    >>> merged = basic_merge_variant(np.array([0.1, 0.3, 0.9]), np.array([3.0, 1.0, 1.0]), 0.25)
    >>> merged.group.tolist(), merged.templateness.round(2).tolist()
    ([0, 0, 1], [0.15, 0.15, 0.9])

    Args:
        templateness: Templateness of the block that each segment is in.
        words: Number of words of each segment, at least 1.
        delta: Least difference between groups, 0 to 1.
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
    smoother: Smoother = smooth,
) -> Variant:
    """Return the variant "smooth": smoothed scores, grouped by the section that a segment is in.

    Args:
        features: The blocks of the page.
        owner: Number of the element that owns each segment; length n_segments.
        templateness: Templateness of each block; length n_blocks.
        factor: The factor c of the penalty for starting a section.
        penalty: Which of the three penalties of the paper.
        smoother: What minimises the objective of the paper, or that of the authors' talk.
    """
    costs = penalties(penalty, factor, features.parent, features.area)
    result = smooth_nodes(features.parent, templateness, features.area, costs, smoother=smoother)
    place = np.searchsorted(features.node, owner)
    return Variant(
        templateness=segment_scores(features, owner, result.score), group=result.section[place]
    )
