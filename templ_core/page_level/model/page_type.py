"""The type of a page: an article, documentation, a forum thread, a product, a listing, or something else.

A multinomial logistic regression finds it by means of the features, over all text of the page and over the
text that the hashed scores take for content, and by the tags and the parts of class names that the page has.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.model._page_type import page_type_shares

PAGE_TYPES = ("article", "documentation", "forum", "product", "listing", "other")
"""The page types, in the order of a model's columns."""


class PageType(msgspec.Struct, frozen=True):
    """The probability that a page is of each type, 0 to 1."""

    article: float = 0.0
    """A news story, a blog post, an encyclopedia entry."""
    documentation: float = 0.0
    """A manual or a reference."""
    forum: float = 0.0
    """A thread of a forum."""
    product: float = 0.0
    """A product of a shop."""
    listing: float = 0.0
    """A list of other pages: a category, a search result, the home page of a site."""
    other: float = 1.0
    """Anything else."""


class PageTypeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of the regression."""

    mean: Float32s
    """Mean of each statistic in training; length n_statistics."""
    scale: Float32s
    """1 / standard deviation of each statistic, 0 where it is constant; length n_statistics."""
    weights: Float32s
    """(n_statistics, 6), with columns in the order of PAGE_TYPES."""
    biases: Float32s
    """Length 6, in the order of PAGE_TYPES."""
    names: npt.NDArray[np.int8]
    """(NAMES_SIZE, 6): weights of tags and parts of class names at their places, in units of `unit`."""
    unit: float
    """Log-odds of a weight of 1 in `names`, on a page with one name."""

    def standardised(self, statistics: Floats) -> Floats:
        """Return statistics in standard deviations from the mean, cut off at the configured limit."""
        limit = MODEL_CONFIG.clip_deviations
        result: Floats = np.clip((statistics - self.mean) * self.scale, -limit, limit)
        return result

    def page_type(self, statistics: Floats, names: Int64s) -> PageType:
        """Return the type of a page, rounded alike on every machine.

        Args:
            statistics: What `page_statistics` says about the page.
            names: Places of its tags and stems, see `_hashed_scores.name_places`.

        Raises:
            ValueError: If the regression has other statistics.
        """
        return PageType(*page_type_shares(statistics, names, self))
