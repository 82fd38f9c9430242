"""Calibration: whether pages with a confidence of 0.8 reach a word F1 of 0.8 on average."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

_BINS = 10
_LOW_SHARE = 0.1
_LOW_F1 = 0.5


class CalibrationBin(msgspec.Struct, frozen=True, kw_only=True):
    """The pages whose confidence is at least `low` and below `high`; the last bin includes 1."""

    low: float
    high: float
    pages: int
    confidence: float
    """Mean confidence of these pages, 0 to 1."""
    f1: float
    """Mean word F1 of these pages, 0 to 1."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A reliability diagram and its summary."""

    bins: list[CalibrationBin]
    """The bins that hold pages, in ascending order."""
    mean_error: float
    """Expected calibration error: mean over pages of |mean confidence - mean F1| of their bin."""
    bias: float
    """Mean confidence minus mean F1; positive when the confidence is too high."""
    low_found: float | None
    """Share of the pages with F1 below 0.5 that the tenth with the lowest confidence holds; None if no page is."""


def calibrate(confidence: Sequence[float], f1: Sequence[float]) -> Calibration:
    """Compare the confidence of at least one page with the word F1 it reached.

    >>> found = calibrate([0.9, 0.9, 0.3], [0.8, 0.9, 0.3])
    >>> [(one.low, one.pages, round(one.f1, 2)) for one in found.bins]
    [(0.3, 1, 0.3), (0.9, 2, 0.85)]
    >>> round(found.bias, 3), found.low_found
    (0.033, 1.0)

    Args:
        confidence: Expected F1 of each page, 0 to 1.
        f1: Word F1 that each page reached, 0 to 1.
    """
    expected, reached = np.asarray(confidence, np.float64), np.asarray(f1, np.float64)
    place = np.minimum((expected * _BINS).astype(np.int64), _BINS - 1)
    bins = [
        CalibrationBin(
            low=one / _BINS,
            high=(one + 1) / _BINS,
            pages=int((place == one).sum()),
            confidence=float(expected[place == one].mean()),
            f1=float(reached[place == one].mean()),
        )
        for one in np.unique(place).tolist()
    ]
    is_low = reached < _LOW_F1
    lowest = np.argsort(expected, kind="stable")[: math.ceil(_LOW_SHARE * len(expected))]
    errors = sum(one.pages * abs(one.confidence - one.f1) for one in bins)
    return Calibration(
        bins=bins,
        mean_error=errors / len(expected),
        bias=float(expected.mean() - reached.mean()),
        low_found=float(is_low[lowest].sum() / is_low.sum()) if is_low.any() else None,
    )
