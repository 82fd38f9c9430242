"""From the F1 that a cut expects to the F1 that such pages had: the confidence of a record.

The cut takes its probabilities for certain, so it expects too much. The correction is a monotone
piecewise linear function, fitted by isotonic regression to pages that the model had not seen. Most
pages are beyond the end of that function, because the cut weighs recall less than an F1 does: their
confidence is the plain F1 to expect, which is calibrated there.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """The knots of the function, ascending; both columns have the same length."""

    expected: Float32s
    """F1 that the cut expects, 0 to 1."""
    found: Float32s
    """F1 that pages had, 0 to 1; never descends."""

    def of(self, expected_f1: float, plain_f1: float | None = None) -> float:
        """Return the confidence for an expected F1, 0 to 1.

        A model without knots returns the expected F1 itself.

        Args:
            expected_f1: F1 that the cut expects.
            plain_f1: F1 to expect with recall at its full weight; it counts where the cut expects 1.

        Example:
            >>> knots = np.array([0.5, 1.0], np.float32), np.array([0.25, 0.75], np.float32)
            >>> Confidence(expected=knots[0], found=knots[1]).of(0.75)
            0.5
            >>> Confidence(expected=knots[0], found=knots[1]).of(1.0, 0.98)
            0.98
        """
        if expected_f1 >= 1 and plain_f1 is not None:
            return plain_f1
        if not len(self.expected):
            return expected_f1
        return float(np.interp(expected_f1, self.expected, self.found))
