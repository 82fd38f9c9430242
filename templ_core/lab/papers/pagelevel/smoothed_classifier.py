"""The classifier of PAGELEVEL: four logistic regressions, each for elements of a band of areas.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5. Here 1 means template. The classifier is a baseline; cleaning uses the page model.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.lab.papers.pagelevel.logistic_regression import LogisticRegression
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures

BANDS = 4
"""Number of bands of areas."""
_DECIMALS = 3
"""Log-odds are rounded to so many decimals, so that every machine gives the same text."""


class SmoothedClassifier(msgspec.Struct, frozen=True, kw_only=True):
    """Four logistic regressions, each for elements of one band of areas."""

    features: list[str]
    """Names of the features, in the order of the columns of `NodeFeatures.rows`."""
    area_from: list[float]
    """Smallest area of each band in square pixels, ascending from 0."""
    models: list[LogisticRegression]
    """The model of each band; the positive class is template."""

    def templateness(self, features: NodeFeatures) -> Floats:
        """Return x of the paper: the probability that each block is template; length n_blocks."""
        band = bands(features.area, self.area_from)
        rows = features.rows
        log_odds = np.zeros(len(rows))
        for number, model in enumerate(self.models):
            log_odds[band == number] = model.log_odds(rows[band == number])
        templateness: Floats = 1 / (1 + np.exp(-np.round(log_odds, _DECIMALS)))
        return templateness


def bands(area: Floats, area_from: list[float]) -> Int64s:
    """Return the number of the band that each area is in."""
    return np.maximum(np.searchsorted(area_from, area, side="right") - 1, 0)


def segment_scores(features: NodeFeatures, owner: Int32s, score: Floats) -> Floats:
    """Return the score of the block that each segment is in; length n_segments.

    Args:
        features: The blocks of the page.
        owner: Number of the element that owns each segment; length n_segments.
        score: Score of each block; length n_blocks.
    """
    place = np.searchsorted(features.node, owner)
    result: Floats = score[place]
    return result
