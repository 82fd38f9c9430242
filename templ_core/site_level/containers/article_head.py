"""The head of an article: the segment that says the page's title again, and what leads to the text."""

import msgspec
import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.distinct import distinct
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.containers._article_head import find_headline

_TITLE_SHARE = 0.8
"""At least this share of a headline's words is in the page's title, ..."""
_COVERED_SHARE = 0.3
"""... and at least this share of the title's words in it."""
_HEADLINE_WORDS = 40
_TITLE_WORDS = 60
"""Different words of a title that are looked for."""
_PER_SEGMENT = 0.02
"""What a headline loses for each segment between it and the text."""
_PER_LEVEL = 0.5
"""What it gains in a heading, and again in one of the highest level."""
_HEAD_SEGMENTS = 12
"""Longer heads are none."""


class ArticleHead(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments, 0 or 1."""

    headline: Floats
    """The segment, at most one, that says the page's title."""
    below: Floats
    """Segments between the headline and the text: date, author, category."""


def article_head(
    document: Document, features: PageFeatures, element_types: UInt64s, text_start: int
) -> ArticleHead:
    """The head of a page with at least one segment.

    Args:
        document: The page.
        features: Its features.
        element_types: Its `element_types`.
        text_start: First segment of its text.
    """
    size = len(document.segments.texts)
    headline, below = np.zeros((2, size))
    found = _headline(document, features, element_types, text_start)
    if found >= 0:
        headline[found] = 1
        if found < text_start <= found + _HEAD_SEGMENTS:
            below[found + 1 : text_start] = 1
    return ArticleHead(headline=headline, below=below)


def _headline(
    document: Document, features: PageFeatures, element_types: UInt64s, text_start: int
) -> int:
    """The segment; -1 = none."""
    title = distinct(read_words(read_characters([document.title])).hashes)
    if not len(title):
        return -1
    nodes, words = document.nodes, features.words
    return find_headline(
        words.hashes,
        words.per_segment,
        title,
        min(len(title), _TITLE_WORDS),
        document.segments.owner,
        nodes.parent,
        nodes.element_type,
        element_types,
        text_start,
        title_share=_TITLE_SHARE,
        covered_share=_COVERED_SHARE,
        words_max=_HEADLINE_WORDS,
        per_level=_PER_LEVEL,
        per_segment=_PER_SEGMENT,
    )
