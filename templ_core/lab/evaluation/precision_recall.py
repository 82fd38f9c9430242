"""The precision-recall curve of templateness: what any threshold would keep."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats

STEPS = 100
"""Thresholds are multiples of 1 / STEPS."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """Keeping what has at most this templateness; precision and recall over words of content."""

    threshold: float
    precision: float
    recall: float


def score_histogram(templateness: Floats, words: Floats, content: Floats) -> Floats:
    """Where a page's content and template lie on the scale of templateness.

    Args:
        templateness: Of each segment, 0 to 1.
        words: Of each segment; 0 = not scored.
        content: Gold: share of each segment that is content, 0 to 1.

    Returns:
        Shares of the page's scored words, (2, STEPS + 1): content, template; sums to 1, or is 0
        where nothing is scored.
    """
    place = np.rint(templateness * STEPS).astype(np.int64)
    counted = np.stack(
        [np.bincount(place, words * part, minlength=STEPS + 1) for part in (content, 1 - content)]
    )
    total = counted.sum()
    shares: Floats = (counted / total if total else counted).astype(np.float64)
    return shares


def precision_recall(histograms: Sequence[Floats]) -> list[Point]:
    """The curve over pages of equal weight, thresholds in ascending order.

    Args:
        histograms: One of `score_histogram` for each page.
    """
    content, template = np.cumsum(np.sum(np.stack(histograms), axis=0), axis=1)
    kept = content + template
    return [
        Point(
            threshold=step / STEPS,
            precision=float(content[step] / kept[step]),
            recall=float(content[step] / content[-1]),
        )
        for step in range(STEPS + 1)
        if kept[step] > 0 and content[-1] > 0
    ]


def recall_at(curve: Sequence[Point], precision: float) -> float:
    """The best recall at this precision or a higher one; 0 where it is never reached."""
    return max((point.recall for point in curve if point.precision >= precision), default=0.0)
