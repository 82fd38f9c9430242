"""The cut that maximises the expected F1 of a page.

Segments are kept from the surest on, as many as maximise

    2 * kept mass / (kept words + lambda * content mass),   where mass = P(content) * words.

The cut needs calibrated probabilities, judges the page as a whole, and never leaves a page empty.
"""

from templ_core.array_types import Bools, Floats
from templ_core.page_level.selection import _selection


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
        >>> import numpy as np
        >>> log_odds, none_out = np.array([3.0, 0.5, -4.0]), np.zeros(3, np.bool_)
        >>> kept, expected = best_cut(log_odds, none_out, np.array([50.0, 10.0, 20.0]), 1.0)
        >>> kept.tolist(), round(expected, 2)
        ([True, True, False], 0.94)
    """
    return _selection.best_cut(content_log_odds, left_out, words, recall_share)
