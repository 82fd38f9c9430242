"""A small feed-forward network on standardised features."""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats
from templ_core.page_level.model._network import network_log_odds

CLIP = 3.0
"""Standard deviations from the mean beyond which a feature is cut off."""


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Layers of rectified units, then one unit with a logistic output."""

    mean: Float32s
    """Of each feature; length n_features."""
    scale: Float32s
    """1 / standard deviation of each feature, 0 where it is constant."""
    weights: list[Float32s]
    """(inputs, outputs) of each layer; the last has one output."""
    biases: list[Float32s]

    def standardised(self, rows: Float32s) -> Float32s:
        """Features in standard deviations from the mean, cut off."""
        result: Float32s = np.clip((rows - self.mean) * self.scale, -CLIP, CLIP)
        return result

    def log_odds(self, rows: Float32s) -> Floats:
        """Log-odds for content of each row of features: the same bits on every machine."""
        return network_log_odds(rows, self.mean, self.scale, CLIP, self.weights, self.biases)
