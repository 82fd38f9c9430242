"""Fitting of a page's confidence to the word F1 of held-out pages."""

from collections.abc import Sequence

import numpy as np
from sklearn.isotonic import IsotonicRegression

from templ_core.page_level.model.confidence import Confidence

_KNOTS = 12
"""Number of knots of the line."""
_DECIMALS = 4
_EXPECTED_DECIMALS = 9
"""The expected F1 is rounded, since values that are closer make the regression divide by 0."""
CONFIDENCE_PAGES_MIN = 100
"""With fewer pages the expected F1 is not corrected."""


def fit_confidence(
    expected: Sequence[float], found: Sequence[float], weight: Sequence[float]
) -> Confidence:
    """Fit a piecewise linear, non-decreasing function from expected to found word F1.

    Its knots divide the weight of the pages into equal parts; the value at a knot is the mean of the
    isotonic regression over its part.

    Args:
        expected: F1 that the model expected of each page, 0 to 1.
        found: F1 that each page reached, 0 to 1.
        weight: Weight of each page, above 0.

    Returns:
        The function; without knots, which means no correction, if there are fewer than
        CONFIDENCE_PAGES_MIN pages.
    """
    if len(expected) < CONFIDENCE_PAGES_MIN:
        return Confidence(expected=np.empty(0, np.float32), found=np.empty(0, np.float32))
    order = np.argsort(expected, kind="stable")
    x, y, w = (np.asarray(values, np.float64)[order] for values in (expected, found, weight))
    x = np.round(x, _EXPECTED_DECIMALS)
    fitted = IsotonicRegression().fit_transform(x, y, sample_weight=w)
    share = (np.cumsum(w) - w / 2) / w.sum()
    part = np.minimum((share * _KNOTS).astype(np.int64), _KNOTS - 1)
    part = np.unique(part, return_inverse=True)[1]
    mass = np.bincount(part, w)
    knots = np.round(np.bincount(part, x * w) / mass, _DECIMALS)
    line = np.maximum.accumulate(np.round(np.bincount(part, fitted * w) / mass, _DECIMALS))
    last = np.append(np.diff(knots) > 0, [True])
    return Confidence(expected=knots[last].astype(np.float32), found=line[last].astype(np.float32))
