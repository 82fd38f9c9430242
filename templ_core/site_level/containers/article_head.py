"""The head of an article: the segment that repeats the page's title, and what leads to the text."""

import msgspec
import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import CONTAINERS_CONFIG, ContainersConfig
from templ_core.site_level.containers._article_head import find_headline


class ArticleHead(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a page; columns of length n_segments with values 0 or 1."""

    headline: Floats
    """Whether the segment is the headline; at most one is."""
    below: Floats
    """Whether the segment is between the headline and the text: date, author, category."""


def article_head(
    document: Document,
    features: PageFeatures,
    element_types: UInt64s,
    text_start: int,
    config: ContainersConfig = CONTAINERS_CONFIG,
) -> ArticleHead:
    """Return the head of a page with at least one segment.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.features.page_features import read_features
    >>> from templ_core.site_level.places.element_types import element_type_rows
    >>> page = parse_document("<title>Boats</title><h1>Boats</h1><p>1 May<p>They sail.", "")
    >>> head = article_head(page, read_features(page), element_type_rows(page), 2)
    >>> head.headline.tolist(), head.below.tolist()
    ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])

    Args:
        document: The page.
        features: The features of the page.
        element_types: The `element_type_rows` of the page.
        text_start: Index of the first segment of the page's text.
        config: The tunable numbers.
    """
    headline, below = np.zeros((2, len(document.segments.texts)))
    title = sorted(set(features.title.tolist()))
    found = -1
    if title:
        wanted = np.array(title[: config.title_words_max], np.uint64)
        found = find_headline(
            document, features.words, element_types, wanted, len(title), text_start, config
        )
    if found >= 0:
        headline[found] = 1
        if found < text_start <= found + config.head_segments_max:
            below[found + 1 : text_start] = 1
    return ArticleHead(headline=headline, below=below)
