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
        recall_share: lambda above, 0 to 1. Below 1, recall counts for less.

    Example:
        >>> import numpy as np
        >>> log_odds, none_out = np.array([3.0, 0.5, -4.0]), np.zeros(3, np.bool_)
        >>> kept, expected = best_cut(log_odds, none_out, np.array([50.0, 10.0, 20.0]), 1.0)
        >>> kept.tolist(), round(expected, 2)
        ([True, True, False], 0.94)
    """
    return _selection.best_cut(content_log_odds, left_out, words, recall_share)


def plain_f1(content_log_odds: Floats, kept: Bools, left_out: Bools, words: Floats) -> float:
    """Return the F1 to expect of a cut, with recall at its full weight; 0 to 1.

    With a lambda below 1 the quotient that `best_cut` maximises exceeds 1 on four of five pages and is
    cut off there, so that it says nothing about which of them are surer.

    Args:
        content_log_odds: Log-odds for content of each segment; length n_segments.
        kept: Segments that are kept; length n_segments.
        left_out: Segments that are not counted unless they are kept; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.

    Example:
        >>> import numpy as np
        >>> log_odds, kept = np.array([3.0, 0.5, -4.0]), np.array([True, True, False])
        >>> none_out = np.zeros(3, np.bool_)
        >>> round(plain_f1(log_odds, kept, none_out, np.array([50.0, 10.0, 20.0])), 2)
        0.94
    """
    return _selection.plain_f1(content_log_odds, kept, left_out, words)
