"""Logistic regression on standardised features, as plain numbers."""

import msgspec
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

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
        odds: Floats = np.clip((rows - self.mean) * self.scale, -CLIP, CLIP) @ self.weights
        return odds + self.bias
