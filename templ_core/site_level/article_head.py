"""The head of an article: the segment that says the page's title again, and what leads to the text."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.distinct import distinct
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_above
from templ_core.page_level.characters import read_characters, read_words
from templ_core.page_level.features import PageFeatures
from templ_core.page_level.hashed_scores import HEADINGS

Floats = npt.NDArray[np.float64]

_TITLE_SHARE = 0.8
"""At least this share of a headline's words is in the page's title, ..."""
_COVERED_SHARE = 0.3
"""... and at least this share of the title's words in it."""
_HEADLINE_WORDS = 40
_TITLE_WORDS = 60
"""Different words of a title that are looked for."""
_PER_SEGMENT = 0.02
"""What a headline loses for each segment between it and the text."""
_HEADING, _TOP_HEADING = 0.5, 0.5
_HEAD_SEGMENTS = 12
"""Longer heads are none."""


class ArticleHead(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments, 0 or 1."""

    headline: Floats
    """The segment, at most one, that says the page's title."""
    below: Floats
    """Segments between the headline and the text: date, author, category."""


def article_head(document: Document, features: PageFeatures, text_start: int) -> ArticleHead:
    """The head of a page with at least one segment.

    Args:
        document: The page.
        features: Its features.
        text_start: First segment of its text.
    """
    size = len(document.segments.texts)
    headline, below = np.zeros((2, size))
    found = _headline(document, features, text_start)
    if found is not None:
        headline[found] = 1
        if found < text_start <= found + _HEAD_SEGMENTS:
            below[found + 1 : text_start] = 1
    return ArticleHead(headline=headline, below=below)


def _headline(document: Document, features: PageFeatures, text_start: int) -> int | None:
    if not document.title:
        return None
    title = distinct(read_words(read_characters([document.title])).hashes)
    words = features.words
    in_title = (words.hashes == title[:_TITLE_WORDS, None]).any(axis=0)
    said = np.bincount(words.segment[in_title], minlength=len(words.per_segment))
    covered = np.minimum(said / max(len(title), 1), 1)
    fits = (
        (said >= _TITLE_SHARE * np.maximum(words.per_segment, 1))
        & (covered >= _COVERED_SHARE)
        & (words.per_segment <= _HEADLINE_WORDS)
    )
    some = np.flatnonzero(fits)
    if not len(some):
        return None
    nodes, owner = document.nodes, document.segments.owner[some]
    of_kind = np.array([(tag in HEADINGS, tag == "h1") for tag, _ in nodes.kinds], np.float64)
    heading, top = (sums_above(nodes.end, of_kind[nodes.kind, level]) > 0 for level in range(2))
    value = (
        covered[some]
        + _HEADING * heading[owner]
        + _TOP_HEADING * top[owner]
        - _PER_SEGMENT * np.abs(some - text_start)
    )
    return int(some[np.argmax(value)])
