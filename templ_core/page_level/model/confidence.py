"""From the F1 that a cut expects to the F1 that such pages had: the confidence of a record.

The cut takes its probabilities for certain, so it expects too much. The correction is a monotone
broken line, fitted by isotonic regression to pages that the model had not seen.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """Knots of the line, ascending; the same number of both."""

    expected: Float32s
    """F1 that the cut expects, 0 to 1."""
    found: Float32s
    """F1 that pages had, 0 to 1; never descends."""

    def of(self, expected_f1: float) -> float:
        """The confidence for an expected F1, 0 to 1; the same for a model without knots."""
        if not len(self.expected):
            return expected_f1
        return float(np.interp(expected_f1, self.expected, self.found))
