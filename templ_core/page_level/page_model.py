"""The page model: from a page's features to the log-odds that each segment is content.

Two hashed tables score a segment's tags and words; what they say about its surroundings joins the
other features; trees and networks decide, by the mean of their log-odds.
"""

import functools
from importlib import resources

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.page_level.contexts import context_columns
from templ_core.page_level.features import Matrix, PageFeatures, matrix
from templ_core.page_level.hashed_scores import (
    HashedTable,
    attribute_scores,
    last_headings,
    text_scores,
)
from templ_core.page_level.network import Network
from templ_core.page_level.tree_ensemble import TreeEnsemble

Floats = npt.NDArray[np.float64]

SHIPPED = "page_model.bin"
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


class PageModel(msgspec.Struct, frozen=True, kw_only=True):
    """Plain numbers; see `model_file` for their form in a file."""

    attribute: HashedTable
    text: HashedTable
    trees: TreeEnsemble
    networks: list[Network]
    about: About
    version: str
    """Equal for equal numbers."""

    def log_odds(self, document: Document, features: PageFeatures) -> Floats:
        """Log-odds for content of each segment of a page; length n_segments."""
        attribute = attribute_scores(document, self.attribute)
        text = text_scores(features.words, last_headings(document), self.text)
        contexts = context_columns(features.tree, features.group, attribute, text)
        return combined_odds(self.trees, self.networks, matrix({**features.columns, **contexts}))


def combined_odds(trees: TreeEnsemble, networks: list[Network], rows: Matrix) -> Floats:
    """Mean log-odds of the trees and the networks, rounded; one for each row of features."""
    of_networks = np.mean([network.log_odds(rows) for network in networks], axis=0)
    odds = TREES_SHARE * trees.log_odds(rows) + (1 - TREES_SHARE) * of_networks
    rounded: Floats = np.round(odds, DECIMALS)
    return rounded


@functools.cache
def shipped_model() -> PageModel:
    """The model that comes with the package; read once."""
    from templ_core.page_level.model_file import decode_model  # noqa: PLC0415

    return decode_model(resources.files(__package__).joinpath(SHIPPED).read_bytes())
