"""Logistic regression on standardised features, as plain numbers that can be stored."""

import msgspec
import numpy as np

from templ_core.array_types import Floats

DEVIATIONS_MAX = 5.0
"""Features are clipped this many standard deviations from their mean."""


class LogisticRegression(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted logistic regression; columns of length n_features."""

    mean: Floats
    """Mean of each feature over the training rows."""
    scale: Floats
    """1 / standard deviation of each feature; 0 for constant features."""
    weights: Floats
    bias: float

    def log_odds(self, rows: Floats) -> Floats:
        """Return the log-odds of the positive class for each row of features."""
        log_odds: Floats = (
            np.clip((rows - self.mean) * self.scale, -DEVIATIONS_MAX, DEVIATIONS_MAX) @ self.weights
        )
        return log_odds + self.bias
