"""A small feed-forward network on standardised features."""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.model._log_odds import network_log_odds


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Layers of rectified linear units, then one unit whose output is log-odds."""

    mean: Float32s
    """Mean of each feature in training; length n_features."""
    scale: Float32s
    """1 / standard deviation of each feature, 0 where it is constant; length n_features."""
    weights: list[Float32s]
    """(n_inputs, n_outputs) of each layer; the last layer has one output. At most 8 layers."""
    biases: list[Float32s]
    """Length n_outputs of each layer."""

    def standardised(self, rows: Float32s) -> Float32s:
        """Return features in standard deviations from the mean, cut off at the configured limit."""
        limit = MODEL_CONFIG.clip_deviations
        result: Float32s = np.clip((rows - self.mean) * self.scale, -limit, limit)
        return result

    def log_odds(self, rows: Float32s) -> Floats:
        """Return log-odds for content of each row of features.

        The result has the same bits on every machine.

        Args:
            rows: (n_segments, n_features).

        Raises:
            ValueError: If the network has other features than the rows.
        """
        return network_log_odds(rows, self, MODEL_CONFIG.clip_deviations)
