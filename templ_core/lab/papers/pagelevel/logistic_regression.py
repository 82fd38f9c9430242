"""Logistic regression on standardised features, as plain numbers."""

import msgspec
import numpy as np

from templ_core.array_types import Floats

CLIP = 5.0
"""Standard deviations from the mean beyond which a feature is cut off."""


class LogisticRegression(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_features."""

    mean: Floats
    scale: Floats
    """1 / standard deviation; 0 where the feature is constant."""
    weights: Floats
    bias: float

    def log_odds(self, rows: Floats) -> Floats:
        """Log-odds of each row of features."""
        log_odds: Floats = np.clip((rows - self.mean) * self.scale, -CLIP, CLIP) @ self.weights
        return log_odds + self.bias
