"""Fitting the confidence to what pages scored that the model had not seen."""

from collections.abc import Sequence

import numpy as np
from sklearn.isotonic import IsotonicRegression

from templ_core.page_level.model.confidence import Confidence

_KNOTS = 12
_DECIMALS = 4
_NO_CLOSER = 9
"""Decimals of the expected F1: values that differ by less make the regression divide by 0."""
PAGES_MIN = 100
"""With fewer pages the expected F1 stays as it is."""


def fit_confidence(
    expected: Sequence[float], found: Sequence[float], weight: Sequence[float]
) -> Confidence:
    """The line from expected to found F1; without knots where there are too few pages.

    Knots lie at equal shares of the pages' weight, each at the mean of the isotonic fit around it.

    Args:
        expected: F1 that the cut expected of each page.
        found: F1 that each page had.
        weight: Of each page.
    """
    if len(expected) < PAGES_MIN:
        return Confidence(expected=np.empty(0, np.float32), found=np.empty(0, np.float32))
    order = np.argsort(expected, kind="stable")
    x, y, w = (np.asarray(values, np.float64)[order] for values in (expected, found, weight))
    x = np.round(x, _NO_CLOSER)
    fitted = IsotonicRegression().fit_transform(x, y, sample_weight=w)
    share = (np.cumsum(w) - w / 2) / w.sum()
    part = np.minimum((share * _KNOTS).astype(np.int64), _KNOTS - 1)
    part = np.unique(part, return_inverse=True)[1]
    mass = np.bincount(part, w)
    knots = np.round(np.bincount(part, x * w) / mass, _DECIMALS)
    line = np.maximum.accumulate(np.round(np.bincount(part, fitted * w) / mass, _DECIMALS))
    last = np.append(np.diff(knots) > 0, [True])
    return Confidence(expected=knots[last].astype(np.float32), found=line[last].astype(np.float32))
