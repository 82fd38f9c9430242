"""What a page says about its own text, before anything is known about its site."""

import msgspec

from templ_core.array_types import Floats
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.features.surroundings import TextRoles, read_text_roles
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.selection import Copies, may_repeat, one_copy_enough


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
        roles=read_text_roles(document, features.tree, features.surroundings),
        page_type=reading.page_type,
        confidence=page_model.confidence,
    )
