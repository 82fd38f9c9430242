"""PAGELEVEL's three variants: what each says about the segments of a page.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 6.1.
"""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures
from templ_core.lab.papers.pagelevel.node_smoothing import PENALTY_FACTOR, Penalty, Smoother
from templ_core.lab.papers.pagelevel.smoothed_classifier import segment_scores, smoothed
from templ_core.page_level.smoothing.isotonic import smooth as smooth_steps

Ints = npt.NDArray[np.integer[Any]]

TEMPLATE_ABOVE = 0.5


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments."""

    templateness: Floats
    group: Ints
    """The segmentation."""

    @property
    def kept(self) -> Bools:
        """Segments that are not template."""
        return self.templateness <= TEMPLATE_ABOVE


def basic(templateness: Floats) -> Variant:
    """The classifier alone: hardly two neighbours share a score, so each segment stands alone.

    Args:
        templateness: Of the block that each segment stands in.
    """
    return Variant(templateness=templateness, group=np.arange(len(templateness)))


def basic_merge(templateness: Floats, words: Floats, delta: float) -> Variant:
    """Neighbours whose scores differ by less than delta are one group, with their mean score.

    Args:
        templateness: Of the block that each segment stands in.
        words: Of each segment, at least 1.
        delta: 0 to 1.
    """
    apart = np.abs(np.diff(templateness, prepend=-np.inf)) >= delta
    group = np.cumsum(apart) - 1
    mean = np.bincount(group, templateness * words) / np.bincount(group, words)
    return Variant(templateness=mean[group], group=group)


def smooth(
    features: NodeFeatures,
    owner: Int32s,
    templateness: Floats,
    factor: float = PENALTY_FACTOR,
    kind: Penalty = "area",
    smoother: Smoother = smooth_steps,
) -> Variant:
    """Smoothed scores; a segment belongs to the section of the block that it stands in.

    Args:
        features: Of the page.
        owner: Owner of each segment.
        templateness: Of each block.
        factor: c of the penalty.
        kind: Which of the paper's three penalties.
        smoother: Minimises the paper's objective, or the talk's.
    """
    result = smoothed(features, templateness, factor, kind, smoother)
    place = np.searchsorted(features.node, owner)
    return Variant(
        templateness=segment_scores(features, owner, result.score), group=result.section[place]
    )
