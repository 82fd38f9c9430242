"""The cut that maximises a page's expected F1.

Segments are kept from the surest on, as many as maximise
2 * kept mass / (kept words + lambda * content mass), where mass = P(content) * words. It needs
calibrated probabilities, acts on the page as a whole, and never leaves a page empty.
"""

import numpy as np
import numpy.typing as npt

from templ_core.page_level._expected_f1 import best_prefix

Floats = npt.NDArray[np.float64]


def best_cut(
    content_probability: Floats, words: Floats, recall_share: float
) -> tuple[npt.NDArray[np.bool_], float]:
    """Which segments to keep, and the F1 to expect (0 to 1).

    Args:
        content_probability: For each segment, 0 to 1.
        words: Words of each segment, at least 1.
        recall_share: lambda above, 0 to 1.
    """
    kept = np.zeros(len(words), np.bool_)
    if not len(words):
        return kept, 0.0
    order = np.argsort(-content_probability, kind="stable")
    best, expected = best_prefix(order, content_probability, words, recall_share)
    kept[order[:best]] = True
    return kept, min(expected, 1.0)
