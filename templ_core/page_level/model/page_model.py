"""The page model: from a page's features to the log-odds that each segment is content.

Two hashed tables score a segment's tags and words; what they say about its surroundings joins the
other features; trees and networks decide, by the mean of their log-odds. A regression over the
page's means tells the kind of page, and a line what F1 to expect of the cut.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.page_level.features.contexts import with_contexts
from templ_core.page_level.features.page_features import Matrix, PageFeatures
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.hashed_scores import (
    HashedTable,
    attribute_scores,
    last_headings,
    text_scores,
)
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_type import KindModel, PageKind, page_statistics
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

Floats = npt.NDArray[np.float64]

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

    odds: Floats
    """Log-odds for content of each segment; length n_segments."""
    kind: PageKind


class PageModel(msgspec.Struct, frozen=True, kw_only=True):
    """Plain numbers; see `model_file` for their form in a file."""

    attribute: HashedTable
    text: HashedTable
    trees: TreeEnsemble
    networks: list[Network]
    kinds: KindModel | None
    """None: every page is of kind `other`."""
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
            odds=combined_odds(self.trees, self.networks, rows),
            kind=self.kind_of(page_statistics(features.rows, features.tree.words, attribute, text)),
        )

    def log_odds(self, document: Document, features: PageFeatures) -> Floats:
        """Log-odds for content of each segment of a page; length n_segments."""
        return self.read(document, features).odds

    def kind_of(self, statistics: Floats) -> PageKind:
        """The kind of a page with these statistics."""
        return self.kinds.page_kind(statistics) if self.kinds else PageKind()


def combined_odds(trees: TreeEnsemble, networks: list[Network], rows: Matrix) -> Floats:
    """Mean log-odds of the trees and the networks, rounded; one for each row of features."""
    of_networks = networks[0].log_odds(rows)
    for network in networks[1:]:
        of_networks += network.log_odds(rows)
    of_networks /= len(networks)
    odds = TREES_SHARE * trees.log_odds(rows) + (1 - TREES_SHARE) * of_networks
    return odds.round(DECIMALS)
