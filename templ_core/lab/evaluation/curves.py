"""Curves: precision and recall at each threshold, and whether a confidence of 0.8 means a word F1 of 0.8 on average."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats

STEPS = 100
"""Histograms of templateness have one cell for each multiple of 1 / STEPS."""


class CurvePoint(msgspec.Struct, frozen=True, kw_only=True):
    """Precision and recall at one threshold; each 0 to 1."""

    threshold: float
    precision: float
    recall: float


def score_histogram(templateness: Floats, words: Floats, content: Floats) -> Floats:
    """Return how the content and the template of a page are distributed over templateness.

    Args:
        templateness: Templateness of each segment, 0 to 1.
        words: Words of each segment; 0 for segments that are not scored.
        content: Gold share of each segment that is content, 0 to 1.

    Returns:
        Shares of the page's scored words, (2, STEPS + 1): first content, then template. The shares
        sum to 1, or to 0 if nothing is scored.
    """
    place = np.rint(templateness * STEPS).astype(np.int64)
    counted = np.stack(
        [np.bincount(place, words * part, minlength=STEPS + 1) for part in (content, 1 - content)]
    )
    total = counted.sum()
    shares: Floats = (counted / total if total else counted).astype(np.float64)
    return shares


def curve_of_histograms(histograms: Sequence[Floats]) -> list[CurvePoint]:
    """Return the curve of keeping the text up to each templateness, over pages of equal weight.

    >>> page = score_histogram(np.array([0.1, 0.9]), np.array([6.0, 4.0]), np.array([1.0, 0.25]))
    >>> point = curve_of_histograms([page])[0]
    >>> point.threshold, point.precision, round(point.recall, 3)
    (0.1, 1.0, 0.857)

    Thresholds ascend; what is found are words of content. Without content the curve is empty.
    """
    content, template = np.cumsum(np.sum(np.stack(histograms), axis=0), axis=1)
    return _curve(np.arange(STEPS + 1) / STEPS, content, content + template)


def curve_of_scores(score: Floats, positive: Bools, weight: Floats) -> list[CurvePoint]:
    """Return the curve of calling everything positive that scores at least a threshold.

    >>> curve = curve_of_scores(
    ...     np.array([0.9, 0.8, 0.1]), np.array([True, False, True]), np.ones(3)
    ... )
    >>> [(point.threshold, round(point.precision, 2), point.recall) for point in curve]
    [(0.9, 1.0, 0.5), (0.8, 0.5, 0.5), (0.1, 0.67, 1.0)]

    It has a point for each different score, the highest first; none if nothing is positive.
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, [True])
    right = np.cumsum(weight[order] * positive[order])
    called = np.cumsum(weight[order])
    return _curve(score[order][last], right[last], called[last])


def _curve(threshold: Floats, right: Floats, called: Floats) -> list[CurvePoint]:
    """Return the points where anything is called, from sums up to each threshold."""
    if not right[-1] > 0:
        return []
    return [
        CurvePoint(threshold=at, precision=one / all_called, recall=one / float(right[-1]))
        for at, one, all_called in zip(
            threshold.tolist(), right.tolist(), called.tolist(), strict=True
        )
        if all_called > 0
    ]


def recall_at(curve: Sequence[CurvePoint], precision: float) -> float:
    """Return the best recall at this precision or a higher one; 0 if it is never reached."""
    return max((point.recall for point in curve if point.precision >= precision), default=0.0)


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
