"""Kolcz and Yih's experiment: cross-validation of the three block detectors by site.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1 and figure 1.
"""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.lab.evaluation.precision_recall import CurvePoint
from templ_core.lab.papers.kolcz_yih.fit_block_detector import (
    BlockSample,
    ForestSettings,
    fit_block_detector,
)
from templ_core.lab.progress import ReportProgress

_FOLDS = 10


def cross_site_scores(
    sample: BlockSample,
    seed: int,
    progress: ReportProgress,
    forest: ForestSettings | None = None,
) -> dict[str, Floats]:
    """Return the scores of all blocks by detectors that have not seen their site.

    The blocks of a held-out site keep their duplicates, as in the paper.

    Args:
        sample: Labelled blocks of many sites.
        seed: Seed of the random forests.
        progress: Called after each fold.
        forest: Size of the random forests; None for the default.

    Returns:
        One score for each block, by the names of the detectors: `text`, `maxent`, `forest`. Higher
        scores mean template.
    """
    count = len(sample.template)
    scores = {name: np.zeros(count) for name in ("text", "maxent", "forest")}
    for fold in range(_FOLDS):
        inside = np.flatnonzero(sample.site % _FOLDS == fold)
        outside = np.flatnonzero(sample.site % _FOLDS != fold)
        if not len(inside):
            continue
        detector = fit_block_detector(sample.take(outside), seed, forest)
        tested = sample.take(inside)
        log_odds = detector.text_log_odds(tested.word, tested.word_row, len(inside))
        numbers = detector.intervals_of(tested.rows, log_odds)
        scores["text"][inside] = log_odds
        scores["maxent"][inside] = detector.maxent_log_odds(numbers)
        scores["forest"][inside] = detector.forest_probability(numbers)
        progress(f"fold {fold + 1} of {_FOLDS}: {len(inside)} blocks")
    return scores


def balanced(template: Bools) -> Floats:
    """Return weights of the blocks that give both classes the same total weight."""
    share = max(float(template.mean()), 1e-9)
    return np.where(template, 0.5 / share, 0.5 / max(1 - share, 1e-9))


def thinned_curve(curve: Sequence[CurvePoint], points: int) -> list[tuple[float, float]]:
    """Return recall and precision of at most `points` of a curve, evenly spaced in recall."""
    at = np.searchsorted([point.recall for point in curve], np.linspace(0.0, 1.0, points))
    chosen = np.unique(np.minimum(at, len(curve) - 1))
    return [(curve[place].recall, curve[place].precision) for place in chosen.tolist()]
