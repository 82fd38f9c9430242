"""PAGELEVEL: four logistic regressions by area, then isotonic smoothing down the tree.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5. Here 1 is template. A reported baseline; cleaning uses `page_model`.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.lab.papers.pagelevel.logistic_regression import LogisticRegression
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures
from templ_core.lab.papers.pagelevel.node_smoothing import (
    PENALTY_FACTOR,
    Penalty,
    Smoother,
    penalties,
    smooth_nodes,
)
from templ_core.page_level.smoothing.isotonic import Smoothed, smooth

BANDS = 4
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
        log_odds = np.zeros(len(rows))
        for number, model in enumerate(self.models):
            log_odds[band == number] = model.log_odds(rows[band == number])
        templateness: Floats = 1 / (1 + np.exp(-np.round(log_odds, DECIMALS)))
        return templateness


def bands(area: Floats, area_from: list[float]) -> Int64s:
    """Number of the band each area is in."""
    return np.maximum(np.searchsorted(area_from, area, side="right") - 1, 0)


def smoothed(
    features: NodeFeatures,
    templateness: Floats,
    penalty: float = PENALTY_FACTOR,
    kind: Penalty = "area",
    smoother: Smoother = smooth,
) -> Smoothed:
    """Smoothed scores y and sections of all blocks; hidden ones share their nearest ancestor's.

    Args:
        features: Of the page.
        templateness: x of each block.
        penalty: c of the penalty for starting a section.
        kind: Which of the paper's three penalties.
        smoother: Minimises the paper's objective, or another one.
    """
    costs = penalties(kind, penalty, features.parent, features.area)
    return smooth_nodes(features.parent, templateness, features.area, costs, smoother=smoother)


def segment_scores(features: NodeFeatures, owner: Int32s, score: Floats) -> Floats:
    """The score of the block each segment stands in; length n_segments.

    Args:
        features: Of the page.
        owner: Owner of each segment.
        score: Of each block.
    """
    place = np.searchsorted(features.node, owner)
    result: Floats = score[place]
    return result
