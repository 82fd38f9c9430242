"""The type of a page: an article, documentation, a forum thread, a product, a listing, or something else.

A multinomial logistic regression tells it by means of the features, over all text of the page and over the
text that the hashed scores take for content, and by the tags and the parts of class names that the page has.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.dom.document import Document
from templ_core.page_level.config import FEATURE_CONFIG, MODEL_CONFIG
from templ_core.page_level.model import _page_type
from templ_core.page_level.model._attribute_scores import name_places
from templ_core.page_level.model.hashed_scores import NAMES_SIZE

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
            names: What `page_names` says about it.

        Raises:
            ValueError: If the regression has other statistics.

        Example:
            >>> model = PageTypeModel(
            ...     mean=np.zeros(1, np.float32),
            ...     scale=np.ones(1, np.float32),
            ...     weights=np.array([[1, 0, 0, 0, 0, 0]], np.float32),
            ...     biases=np.zeros(6, np.float32),
            ...     names=np.zeros((NAMES_SIZE, 6), np.int8),
            ...     unit=1.0,
            ... )
            >>> model.page_type(np.array([2.0]), np.array([5])).article
            0.596
        """
        shares = _page_type.page_type_shares(
            statistics, names, self, MODEL_CONFIG.clip_deviations, MODEL_CONFIG.decimals
        )
        return PageType(*shares)


def page_names(document: Document) -> Int64s:
    """Return the places of a page's different tags and parts of class names in `PageTypeModel.names`.

    Ids, roles and item properties count like class names.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> page = parse_document("<p class=price>1</p><p id=price>2", "https://a.com/")
        >>> len(page_names(page))  # html, body, p; price
        4
    """
    return name_places(document.nodes.element_types, NAMES_SIZE)


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
    weight = FEATURE_CONFIG.score_weight
    return _page_type.page_statistics(features, words, attribute, text, weight)
