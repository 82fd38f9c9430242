"""The page model: from a page's features to the log-odds that each segment is content.

Two hashed tables score a segment's tags and words; what they say about its surroundings joins the
other features; trees and networks decide, by the mean of their log-odds. A regression over the
page's means tells the page type, and a line what F1 to expect of the cut.
"""

import msgspec

from templ_core.array_types import Float32s, Floats
from templ_core.dom.document import Document
from templ_core.page_level.features.contexts import with_contexts
from templ_core.page_level.features.page_features import (
    PageFeatures,
)
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.hashed_scores import (
    HashedTable,
    attribute_scores,
    last_headings,
    text_scores,
)
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_type import PageType, PageTypeModel, page_statistics
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

DECIMALS = 3
"""Log-odds are rounded, so that every machine gives the same text."""
TREES_SHARE = 0.5
"""Of the trees in the mean with the networks."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model comes from, and what it reaches."""

    corpora: dict[str, str]
    """Name of each training corpus, and the BLAKE2b-128 of its file."""
    licence: str
    """Of the training pages, as far as it is known."""
    quality: dict[str, float]
    """Word F1 of pages of sites left out in training, by corpus; 0 to 1."""


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says about a page."""

    log_odds: Floats
    """Log-odds for content of each segment; length n_segments."""
    page_type: PageType


class PageModel(msgspec.Struct, frozen=True, kw_only=True):
    """Plain numbers; see `model_file` for their form in a file."""

    attribute: HashedTable
    text: HashedTable
    trees: TreeEnsemble
    networks: list[Network]
    page_types: PageTypeModel | None
    """None: every page is of page_type `other`."""
    confidence: Confidence
    about: About
    version: str
    """Equal for equal numbers."""

    def read(self, document: Document, features: PageFeatures) -> PageReading:
        """What the model says about a page with at least one segment."""
        attribute = attribute_scores(document, self.attribute)
        text = text_scores(features.words, last_headings(document), self.text)
        rows = with_contexts(features.rows, features.tree, features.group, attribute, text)
        return PageReading(
            log_odds=combined_log_odds(self.trees, self.networks, rows),
            page_type=self.page_type_of(
                page_statistics(features.rows, features.tree.words, attribute, text)
            ),
        )

    def log_odds(self, document: Document, features: PageFeatures) -> Floats:
        """Log-odds for content of each segment of a page; length n_segments."""
        return self.read(document, features).log_odds

    def page_type_of(self, statistics: Floats) -> PageType:
        """The page_type of a page with these statistics."""
        return self.page_types.page_type(statistics) if self.page_types else PageType()


def combined_log_odds(trees: TreeEnsemble, networks: list[Network], rows: Float32s) -> Floats:
    """Mean log-odds of the trees and the networks, rounded; one for each row of features."""
    of_networks = networks[0].log_odds(rows)
    for network in networks[1:]:
        of_networks += network.log_odds(rows)
    of_networks /= len(networks)
    log_odds = TREES_SHARE * trees.log_odds(rows) + (1 - TREES_SHARE) * of_networks
    return log_odds.round(DECIMALS)
