"""The cut that maximises a page's expected F1.

Segments are kept from the surest on, as many as maximise
2 * kept mass / (kept words + lambda * content mass), where mass = P(content) * words. It needs
calibrated probabilities, acts on the page as a whole, and never leaves a page empty.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]


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
    order, expected = expected_f1_curve(content_probability, words, recall_share)
    best = int(np.argmax(expected))
    kept[order[: best + 1]] = True
    return kept, float(min(expected[best], 1.0))


def expected_f1_curve(
    content_probability: Floats, words: Floats, recall_share: float
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Segments from the surest on, and the expected F1 of keeping them up to each.

    Args:
        content_probability: For each segment, 0 to 1.
        words: Words of each segment, at least 1.
        recall_share: lambda above, 0 to 1.
    """
    order = np.argsort(-content_probability, kind="stable")
    mass = content_probability * words
    kept_mass = np.cumsum(mass[order])
    expected: Floats = 2 * kept_mass / (np.cumsum(words[order]) + recall_share * mass.sum() + 1e-9)
    return order, expected
