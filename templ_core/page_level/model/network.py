"""A small feed-forward network on standardised features."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.page_level.model._network import network_odds

Matrix = npt.NDArray[np.float32]

CLIP = 3.0
"""Standard deviations from the mean beyond which a feature is cut off."""


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Layers of rectified units, then one unit with a logistic output."""

    mean: Matrix
    """Of each feature; length n_features."""
    scale: Matrix
    """1 / standard deviation of each feature, 0 where it is constant."""
    weights: list[Matrix]
    """(inputs, outputs) of each layer; the last has one output."""
    biases: list[Matrix]

    def standardised(self, rows: Matrix) -> Matrix:
        """Features in standard deviations from the mean, cut off."""
        result: Matrix = np.clip((rows - self.mean) * self.scale, -CLIP, CLIP)
        return result

    def log_odds(self, rows: Matrix) -> npt.NDArray[np.float64]:
        """Log-odds for content of each row of features: the same bits on every machine."""
        return network_odds(rows, self.mean, self.scale, CLIP, self.weights, self.biases)
