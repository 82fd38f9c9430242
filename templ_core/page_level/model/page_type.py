"""What page type it is: an article, documentation, a forum thread, or something else.

A multinomial logistic regression over the means of the features: over all text of the page, and
over what the hashed scores take for its content.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats
from templ_core.page_level.features.contexts import SUM_WEIGHT
from templ_core.page_level.model import _page_type

PAGE_TYPES = ("article", "documentation", "forum", "other")
_CLIP = 3.0
_DECIMALS = 3


class PageType(msgspec.Struct, frozen=True, kw_only=True):
    """How likely a page is of each type, 0 to 1."""

    article: float = 0.0
    documentation: float = 0.0
    forum: float = 0.0
    other: float = 1.0


class PageTypeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The regression's numbers."""

    mean: Float32s
    """Of each statistic; length n_statistics."""
    scale: Float32s
    """1 / standard deviation of each statistic, 0 where it is constant."""
    weights: Float32s
    """(n_statistics, 4), in the order of PAGE_TYPES."""
    biases: Float32s

    def standardised(self, statistics: Floats) -> Floats:
        """Statistics in standard deviations from the mean, cut off."""
        result: Floats = np.clip((statistics - self.mean) * self.scale, -_CLIP, _CLIP)
        return result

    def page_type(self, statistics: Floats) -> PageType:
        """The type of a page with these statistics; rounded, the same on every machine."""
        article, documentation, forum, other = _page_type.page_type_shares(
            statistics, self.mean, self.scale, self.weights, self.biases, _CLIP, _DECIMALS
        )
        return PageType(article=article, documentation=documentation, forum=forum, other=other)


def page_statistics(features: Float32s, words: Floats, attribute: Floats, text: Floats) -> Floats:
    """Statistics of a page.

    Args:
        features: Features of its segments that need no model; n_segments rows.
        words: Words of each segment, at least 1.
        attribute: Log-odds of the attribute scores.
        text: Log-odds of the text scores.

    Returns:
        Means of each feature by content and by words, then six sums of the page.
    """
    return _page_type.page_statistics(features, words, attribute, text, SUM_WEIGHT)
