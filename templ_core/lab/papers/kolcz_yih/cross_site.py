"""Kolcz and Yih's experiment: cross-site cross-validation of the three block detectors.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1 and figure 1.
"""

from collections.abc import Callable, Sequence

import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.lab.papers.kolcz_yih.block_detector import intervals
from templ_core.lab.papers.kolcz_yih.fit_block_detector import (
    BlockSample,
    ForestSettings,
    fit_block_detector,
    text_log_odds,
)

FOLDS = 10


def cross_site_scores(
    sample: BlockSample,
    seed: int,
    progress: Callable[[str], None],
    forest: ForestSettings | None = None,
) -> dict[str, Floats]:
    """Scores of all blocks by detectors that have not seen their site; 1 = template is higher.

    Test blocks keep their duplicates, as in the paper; equal sites are equal in `sample.site`.
    """
    count = len(sample.template)
    scores = {name: np.zeros(count) for name in ("text", "maxent", "forest")}
    for fold in range(FOLDS):
        inside = np.flatnonzero(sample.site % FOLDS == fold)
        outside = np.flatnonzero(sample.site % FOLDS != fold)
        if not len(inside):
            continue
        detector = fit_block_detector(sample.take(outside), seed, forest)
        tested = sample.take(inside)
        log_odds = np.round(text_log_odds(tested, detector.text), 3)
        rows = np.concatenate([tested.rows, log_odds[:, None]], axis=1).astype(np.float64)
        numbers = intervals(rows, detector.borders)
        scores["text"][inside] = log_odds
        scores["maxent"][inside] = detector.maxent_log_odds(numbers)
        scores["forest"][inside] = detector.trees.log_odds(numbers.astype(np.float32))
        progress(f"fold {fold + 1} of {FOLDS}: {len(inside)} blocks")
    return scores


def precision_recall(score: Floats, template: Bools, weight: Floats) -> tuple[Floats, Floats]:
    """Precision and recall of calling template whatever scores at least as high as each block.

    Args:
        score: Of each block.
        template: Which blocks are.
        weight: Of each block, above 0.
    """
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(weight[order] * template[order])
    called = np.cumsum(weight[order])
    last = np.append(np.diff(score[order]) != 0, True)
    return found[last] / called[last], found[last] / max(float(found[-1]), 1e-9)


def recall_at(precision: Floats, recall: Floats, wanted: float) -> float:
    """The largest recall at a precision of at least `wanted`; 0 where there is none."""
    enough = recall[precision >= wanted]
    return float(enough.max()) if len(enough) else 0.0


def balanced(template: Bools) -> Floats:
    """Weights that give both classes the same weight."""
    share = max(float(template.mean()), 1e-9)
    return np.where(template, 0.5 / share, 0.5 / max(1 - share, 1e-9))


def thinned_curve(precision: Floats, recall: Floats, points: int) -> Sequence[tuple[float, float]]:
    """At most `points` of a curve, evenly spaced in recall."""
    at = np.searchsorted(recall, np.linspace(0.0, 1.0, points))
    chosen = np.unique(np.minimum(at, len(recall) - 1))
    return [(float(recall[place]), float(precision[place])) for place in chosen]
