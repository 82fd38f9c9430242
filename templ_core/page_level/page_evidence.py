"""What a page says about its own text, before anything is known about its site."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level._selection import long_without
from templ_core.page_level.config import SELECTION_CONFIG
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.features.surroundings import REPEATING, TextRoles, read_text_roles
from templ_core.page_level.model.page_model import Confidence, PageModel
from templ_core.page_level.model.page_type import PageType


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to find repeated text on a page; columns of length n_segments."""

    text: UInt64s
    """Hash of each segment's words."""
    path: Int64s
    """Path group of each segment."""
    once: Bools
    """Segments that are kept only once."""


class PageEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of one page; columns of length n_segments."""

    features: PageFeatures
    log_odds: Floats
    """Log-odds for content, by the page model."""
    words: Floats
    """Number of words of each segment, at least 1."""
    copies: Copies
    """Which segments may repeat which."""
    roles: TextRoles
    """Which segments are comments, reviews and consent notices."""
    page_type: PageType
    recall_share: float
    """How much recall counts in the cut, by the page's type; lambda of `_selection.best_cut`, above 0."""
    confidence: Confidence
    """How the F1 that a cut expects relates to the F1 that such pages had."""


def read_page_evidence(document: Document, page_model: PageModel) -> PageEvidence:
    """Read what a page with at least one segment says about itself.

    Args:
        document: The page.
        page_model: The site-independent classifier.
    """
    features = read_features(document)
    words = features.tree.words
    roles = read_text_roles(document, features.tree, features.surroundings)
    reading = page_model.read(document, features)
    return PageEvidence(
        features=features,
        log_odds=reading.log_odds,
        words=words,
        copies=Copies(
            text=features.text,
            path=features.group,
            once=one_copy_enough(may_repeat(features.surroundings, words), reading.page_type),
        ),
        roles=roles,
        page_type=reading.page_type,
        recall_share=reading.recall_share,
        confidence=page_model.confidence,
    )


def may_repeat(surroundings: Int32s, words: Floats) -> Bools:
    """Return the segments that are kept only once; length n_segments.

    They are long, and do not stand in code, tables or definition lists.

    Args:
        surroundings: The bits of `read_surroundings`.
        words: Number of words of each segment, at least 1.
    """
    least = SELECTION_CONFIG.repeat_words_min
    return long_without(surroundings, words, REPEATING, least)


def one_copy_enough(once: Bools, page: PageType) -> Bools:
    """Return the segments of `may_repeat`, or none of them on documentation.

    Args:
        once: The segments of `may_repeat`.
        page: The type of the page.
    """
    if page.documentation > SELECTION_CONFIG.documentation_min:
        return np.zeros(len(once), np.bool_)
    return once
