"""The page model: from a page's features to the log-odds that each segment is content.

Two hashed tables score the tags and the words of a segment. What these scores say about its
surroundings joins the other features, and trees and networks decide by the mean of their log-odds.
A regression over the means of a page's features and over its class names finds its page type, and
another the F1 to expect of a cut.
"""

import math
import operator
from typing import Annotated

import msgspec

from templ_core.array_types import Bools, Float32s, Floats
from templ_core.dom.document import Document
from templ_core.page_level._selection import kept_words
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.features._contexts import with_contexts
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model._hashed_scores import read_attributes, text_scores
from templ_core.page_level.model._log_odds import mixed_log_odds
from templ_core.page_level.model._page_type import page_statistics
from templ_core.page_level.model.hashed_scores import HashedTable
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType, PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

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


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page model comes from, and what quality it reaches."""

    corpora: Annotated[dict[str, str], msgspec.Meta(max_length=1000)]
    """Name of each training corpus, and the BLAKE2b-128 of its file."""
    licence: str
    """Licence of the training pages, as far as it is known."""
    quality: Annotated[dict[str, float], msgspec.Meta(max_length=1000)]
    """Word F1 of pages of sites left out in training, by corpus; 0 to 1."""


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says about a page."""

    log_odds: Floats
    """Log-odds for content of each segment; length n_segments."""
    page_type: PageType
    """Probabilities of the page types."""
    recall_share: float
    """How much recall counts in the cut of this page, above 0; lambda of `_selection.best_cut`."""


class PageModel(msgspec.Struct, frozen=True, kw_only=True):
    """All numbers of a page model; see `model_file` for their form in a file."""

    attribute: HashedTable
    """Scores of tags, class names, ids and roles."""
    text: HashedTable
    """Scores of words."""
    trees: TreeEnsemble
    """Decision trees over features and contexts."""
    networks: list[Network]
    """Networks over features and contexts; at least one."""
    page_types: PageTypeModel | None
    """Regression for the page type; without one every page is of type `other`."""
    recall_shares: tuple[float, ...]
    """How much recall counts in the cut of a page that is surely of a type, for each of PAGE_TYPES, above 0.

    It counts least for products, beside which other products stand, and most for listings, of which nearly all but the
    menu is content."""
    confidence: Confidence
    """Regression of the F1 that pages reach."""
    about: About
    """Where the model comes from."""
    version: str
    """Equal for equal numbers, and different for different ones."""

    def read(self, document: Document, features: PageFeatures) -> PageReading:
        """Return what the model says about a page with at least one segment.

        Args:
            document: The page.
            features: The features of the page.
        """
        attribute, names = read_attributes(document, self.attribute)
        text = text_scores(features.words, features.last_heading, self.text)
        page_type = PageType()
        if self.page_types is not None:
            statistics = page_statistics(features.rows, features.tree.words, attribute, text)
            page_type = self.page_types.page_type(statistics, names)
        rows = with_contexts(
            features.rows, features.tree, features.group, attribute, text, page_type
        )
        return PageReading(
            log_odds=combined_log_odds(self.trees, self.networks, rows),
            page_type=page_type,
            recall_share=recall_share(page_type, self.recall_shares),
        )

    def log_odds(self, document: Document, features: PageFeatures) -> Floats:
        """Return log-odds for content of each segment of a page; length n_segments."""
        return self.read(document, features).log_odds


def recall_share(page_type: PageType, shares: tuple[float, ...]) -> float:
    """Return the geometric mean of the shares of each page type by its probability, rounded.

    >>> recall_share(PageType(article=0.5, other=0.5), (0.25, 1.0, 1.0, 1.0, 1.0, 4.0))
    1.0
    """
    types = msgspec.structs.astuple(page_type)
    mean: float = math.prod(map(operator.pow, shares, types))
    return round(mean, 6)


def combined_log_odds(trees: TreeEnsemble, networks: list[Network], rows: Float32s) -> Floats:
    """Return the mean log-odds of the trees and at least one network, rounded.

    Args:
        trees: The trees of a model.
        networks: The networks of a model.
        rows: (n_segments, n_features): features and contexts.
    """
    return mixed_log_odds(
        trees.log_odds(rows),
        [network.log_odds(rows) for network in networks],
        MODEL_CONFIG.trees_share,
        10**MODEL_CONFIG.decimals,
    )
