"""The cut that maximises the expected F1 of a page.

Segments are kept from the surest on, as many as maximise

    2 * kept mass / (kept words + lambda * content mass),   where mass = P(content) * words.

The cut needs calibrated probabilities, judges the page as a whole, and never leaves a page empty.
"""

import numpy as np

from templ_core.array_types import Bools, Floats

_TINY = 1e-9
"""Keeps the division defined where no segment has any mass."""


def best_cut(
    content_log_odds: Floats, left_out: Bools, words: Floats, recall_share: float
) -> tuple[Bools, float]:
    """Return which segments to keep, and the F1 to expect (0 to 1).

    Nothing is kept, and 0 expected, where all segments are left out. Of equal cuts the one that
    keeps less is taken.

    Args:
        content_log_odds: Log-odds for content of each segment; length n_segments.
        left_out: Segments that are neither kept nor counted; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        recall_share: lambda above, 0 to 1. Below 1, precision counts for less.

    Example:
        >>> log_odds, none_out = np.array([3.0, 0.5, -4.0]), np.zeros(3, np.bool_)
        >>> kept, expected = best_cut(log_odds, none_out, np.array([50.0, 10.0, 20.0]), 1.0)
        >>> kept.tolist(), round(expected, 2)
        ([True, True, False], 0.94)
    """
    kept = np.zeros(len(words), np.bool_)
    content = 1 / (1 + np.exp(-content_log_odds))
    order = np.where(left_out, np.inf, -content).argsort(kind="stable")
    order = order[: len(order) - np.count_nonzero(left_out)]
    if not len(order):
        return kept, 0.0
    words = words[order]
    mass = (content[order] * words).cumsum()
    expected = 2 * mass / (words.cumsum() + (recall_share * mass[-1] + _TINY))
    best = int(expected.argmax())
    kept[order[: best + 1]] = True
    return kept, min(float(expected[best]), 1.0)
