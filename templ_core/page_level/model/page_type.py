"""The type of a page: an article, documentation, a forum thread, or something else.

A multinomial logistic regression tells it by means of the features: over all text of the page, and
over the text that the hashed scores take for content.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats
from templ_core.page_level.config import FEATURE_CONFIG, MODEL_CONFIG
from templ_core.page_level.model import _page_type

PAGE_TYPES = ("article", "documentation", "forum", "other")
"""The page types, in the order of a model's columns."""


class PageType(msgspec.Struct, frozen=True, kw_only=True):
    """The probability that a page is of each type, 0 to 1."""

    article: float = 0.0
    """A news story, a blog post, an encyclopedia entry."""
    documentation: float = 0.0
    """A manual or a reference."""
    forum: float = 0.0
    """A thread of a forum."""
    other: float = 1.0
    """Anything else."""


class PageTypeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of the regression."""

    mean: Float32s
    """Mean of each statistic in training; length n_statistics."""
    scale: Float32s
    """1 / standard deviation of each statistic, 0 where it is constant; length n_statistics."""
    weights: Float32s
    """(n_statistics, 4), with columns in the order of PAGE_TYPES."""
    biases: Float32s
    """Length 4, in the order of PAGE_TYPES."""

    def standardised(self, statistics: Floats) -> Floats:
        """Return statistics in standard deviations from the mean, cut off at the configured limit."""
        limit = MODEL_CONFIG.clip_deviations
        result: Floats = np.clip((statistics - self.mean) * self.scale, -limit, limit)
        return result

    def page_type(self, statistics: Floats) -> PageType:
        """Return the type of a page with these statistics, rounded alike on every machine.

        Raises:
            ValueError: If the regression has other statistics.

        Example:
            >>> model = PageTypeModel(
            ...     mean=np.zeros(1, np.float32),
            ...     scale=np.ones(1, np.float32),
            ...     weights=np.array([[1, 0, 0, 0]], np.float32),
            ...     biases=np.zeros(4, np.float32),
            ... )
            >>> model.page_type(np.array([2.0])).article
            0.711
        """
        shares = _page_type.page_type_shares(
            statistics, self, MODEL_CONFIG.clip_deviations, MODEL_CONFIG.decimals
        )
        return PageType(**dict(zip(PAGE_TYPES, shares, strict=True)))


def page_statistics(features: Float32s, words: Floats, attribute: Floats, text: Floats) -> Floats:
    """Return the statistics of a page that its type is told by.

    Args:
        features: The features of `read_features`; n_segments rows.
        words: Number of words of each segment, at least 1.
        attribute: Log-odds of the attribute scores; length n_segments.
        text: Log-odds of the text scores; length n_segments.

    Returns:
        The mean of each feature by content mass, then by words, then six statistics of the page:
        the logarithms of its content mass and words, the share of content, the mean attribute and
        text scores by content mass, and the logarithm of the number of segments.

    Example:
        >>> features = np.array([[1.0], [3.0]], np.float32)
        >>> certain = np.array([90.0, -90.0])
        >>> page_statistics(features, np.array([30.0, 10.0]), certain, certain)[:2].tolist()
        [1.0, 1.5]
    """
    return _page_type.page_statistics(features, words, attribute, text, FEATURE_CONFIG.score_weight)
