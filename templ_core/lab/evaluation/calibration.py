"""Whether a confidence of 0.8 means a word F1 of 0.8."""

from collections.abc import Sequence

import msgspec
import numpy as np

BINS = 10


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Pages with a confidence from `low` to below `high` (1 included in the last)."""

    low: float
    high: float
    pages: int
    confidence: float
    """Mean of these pages."""
    f1: float
    """Mean of these pages."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A reliability plot and what it comes to."""

    bins: list[Bin]
    """Those that hold pages, in ascending order."""
    mean_error: float
    """Mean over pages of |mean confidence - mean F1| of their bin."""
    bias: float
    """Mean confidence less mean F1; above 0 = too sure of itself."""


def calibrate(confidence: Sequence[float], f1: Sequence[float]) -> Calibration:
    """The calibration of at least one page.

    Args:
        confidence: What was expected of each page, 0 to 1.
        f1: What each page reached, 0 to 1.
    """
    said, reached = np.asarray(confidence, np.float64), np.asarray(f1, np.float64)
    place = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    bins = [
        Bin(
            low=one / BINS,
            high=(one + 1) / BINS,
            pages=int((place == one).sum()),
            confidence=float(said[place == one].mean()),
            f1=float(reached[place == one].mean()),
        )
        for one in np.unique(place).tolist()
    ]
    errors = sum(one.pages * abs(one.confidence - one.f1) for one in bins)
    return Calibration(
        bins=bins,
        mean_error=errors / len(said),
        bias=float(said.mean() - reached.mean()),
    )
