"""The confidence of a record: the word F1 to expect of what is kept of a page.

The F1 that a cut expects takes the probabilities of segments for certain and independent, so it promises too
much, and more so on products and listings than on articles. A logistic regression corrects it, fitted to
pages of sites that the model had not seen.
"""

import math
import operator

import msgspec

from templ_core.array_types import Bools, Floats
from templ_core.page_level._selection import kept_words
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType

CONFIDENCE_INPUTS = ("expected_f1", "kept_words", "kept_share", *PAGE_TYPES)
"""Names of the inputs, in the order of the weights."""
_MARGIN = 0.001
"""An expected F1 is kept this far from 0 and 1, where log-odds are infinite."""


def confidence_inputs(
    expected_f1: float, kept: Bools, words: Floats, page_type: PageType
) -> list[float]:
    """Return the inputs of the confidence of a page with text.

    Args:
        expected_f1: F1 that is expected of the cut, 0 to 1.
        kept: Whether each segment is kept; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        page_type: The type of the page.

    Returns:
        The log-odds of the expected F1, the logarithm of the words that are kept, their share of the page, and
        the probability of each page type.
    """
    of_kept, total = kept_words(kept, words)
    share = min(max(expected_f1, _MARGIN), 1 - _MARGIN)
    types = msgspec.structs.astuple(page_type)
    return [math.log(share / (1 - share)), math.log1p(of_kept), of_kept / total, *types]


class Confidence(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of the regression."""

    weights: tuple[float, ...]
    """One for each of CONFIDENCE_INPUTS."""
    bias: float

    def of(self, inputs: list[float]) -> float:
        """Return the word F1 to expect, 0 to 1.

        Args:
            inputs: What `confidence_inputs` returns.
        """
        log_odds = self.bias + sum(map(operator.mul, self.weights, inputs))
        return 1 / (1 + math.exp(-log_odds))


EXPECTED = Confidence((1.0, *(0.0 for _ in CONFIDENCE_INPUTS[1:])), 0.0)
"""No correction: the confidence is the F1 that is expected."""
