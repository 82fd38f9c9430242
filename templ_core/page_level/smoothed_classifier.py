"""PAGELEVEL: four logistic regressions by area, then isotonic smoothing down the tree.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5. Here 1 is template. A reported baseline; cleaning uses `page_model`.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.page_level.isotonic import Smoothed, smooth
from templ_core.page_level.logistic_regression import LogisticRegression
from templ_core.page_level.node_features import NodeFeatures

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BANDS = 4
SMALLEST_AREA = 2000.0
"""Smaller nodes are hidden: they take their parent's score and add to its weight (section 5.3)."""
PENALTY = 0.01
"""c of the penalty c * A / A_i that the paper settles on (section 5.3)."""
DECIMALS = 3
"""Log-odds are rounded, so that every machine gives the same text."""


class SmoothedClassifier(msgspec.Struct, frozen=True, kw_only=True):
    """Four models, each for nodes of one band of areas."""

    features: list[str]
    """Names of the columns the models look at."""
    area_from: list[float]
    """Smallest area of each band, ascending from 0; square pixels."""
    models: list[LogisticRegression]
    """Log-odds for template."""

    def templateness(self, features: NodeFeatures) -> Floats:
        """x: probability that each block is template; length n_blocks."""
        band = bands(features.area, self.area_from)
        rows = features.rows
        odds = np.zeros(len(rows))
        for number, model in enumerate(self.models):
            odds[band == number] = model.log_odds(rows[band == number])
        templateness: Floats = 1 / (1 + np.exp(-np.round(odds, DECIMALS)))
        return templateness


def bands(area: Floats, area_from: list[float]) -> Ints:
    """Number of the band each area is in."""
    return np.maximum(np.searchsorted(area_from, area, side="right") - 1, 0)


def smoothed(features: NodeFeatures, templateness: Floats, penalty: float = PENALTY) -> Smoothed:
    """Smoothed scores y and sections of all blocks; hidden ones share their nearest ancestor's.

    Args:
        features: Of the page.
        templateness: x of each block.
        penalty: c of the penalty c * A / A_i for starting a section.
    """
    visible = (features.area >= SMALLEST_AREA) & (features.area > 0)
    visible[0] = True
    shown = shown_ancestor(features.parent, visible)
    kept = np.flatnonzero(visible)
    number = np.cumsum(visible) - 1
    above = features.parent[kept]
    parent = np.where(above >= 0, number[shown[np.maximum(above, 0)]], -1)
    area = np.maximum(features.area[kept], SMALLEST_AREA)
    result = smooth(
        parent.astype(np.int32),
        templateness[kept],
        np.bincount(number[shown], minlength=len(kept)).astype(np.float64),
        penalty * area.max() / area,
    )
    return Smoothed(score=result.score[number[shown]], section=result.section[number[shown]])


def shown_ancestor(parent: Ints, visible: npt.NDArray[np.bool_]) -> Ints:
    """The nearest visible block above each block, itself included."""
    shown = np.arange(len(parent))
    for block in np.flatnonzero(~visible).tolist():
        shown[block] = shown[parent[block]]
    return shown


def segment_scores(features: NodeFeatures, owner: npt.NDArray[np.int32], score: Floats) -> Floats:
    """The score of the block each segment stands in; length n_segments.

    Args:
        features: Of the page.
        owner: Owner of each segment.
        score: Of each block.
    """
    place = np.searchsorted(features.node, owner)
    result: Floats = score[place]
    return result
