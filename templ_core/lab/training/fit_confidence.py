"""Fitting of a page's confidence to the word F1 of held-out pages."""

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from templ_core.page_level.model.confidence import EXPECTED, Confidence

_PENALTY = 1.0
"""Strength of the L2 penalty."""
_DECIMALS = 4
CONFIDENCE_PAGES_MIN = 100
"""With fewer pages the expected F1 is not corrected."""


def fit_confidence(inputs: Sequence[Sequence[float]], found: Sequence[float]) -> Confidence:
    """Fit a logistic regression of the word F1 that pages reached.

    A page takes part twice, once as found and once as missed, with its weight divided between the two by its F1.
    All pages weigh the same, whatever they weigh in the rest of a training: their corpora differ in their types.

    Args:
        inputs: The inputs of each page, see `templ_core.page_level.model.confidence`.
        found: F1 that each page reached, 0 to 1.

    Returns:
        The regression; one that corrects nothing if there are fewer than CONFIDENCE_PAGES_MIN pages, or if
        all of them reached the same extreme.
    """
    share = np.asarray(found, np.float64)
    if len(share) < CONFIDENCE_PAGES_MIN or not 0 < share.mean() < 1:
        return EXPECTED
    rows = np.asarray(inputs, np.float64)
    model = LogisticRegression(C=1 / _PENALTY, max_iter=1000)
    model.fit(
        np.concatenate([rows, rows]),
        np.repeat([True, False], len(rows)),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    weights = model.coef_[0].round(_DECIMALS).tolist()
    return Confidence(tuple(weights), round(float(model.intercept_[0]), _DECIMALS))
