"""The cut that maximises a page's expected F1.

Segments are kept from the surest on, as many as maximise
2 * kept mass / (kept words + lambda * content mass), where mass = P(content) * words. It needs
calibrated probabilities, acts on the page as a whole, and never leaves a page empty.
"""

from templ_core.array_types import Bools, Floats
from templ_core.page_level.selection import _expected_f1


def best_cut(
    content_log_odds: Floats, left_out: Bools, words: Floats, recall_share: float
) -> tuple[Bools, float]:
    """Which segments to keep, and the F1 to expect (0 to 1).

    Args:
        content_log_odds: Log-odds for content of each segment.
        left_out: Segments that are not to be kept and count for nothing.
        words: Words of each segment, at least 1.
        recall_share: lambda above, 0 to 1.
    """
    return _expected_f1.best_cut(content_log_odds, left_out, words, recall_share)
