"""The headline of a page: the segment that repeats the page's title."""

import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import CONTAINERS_CONFIG, ContainersConfig
from templ_core.site_level.containers._headline import find_headline

_TITLE_WORDS_MAX = 60
"""Different words of a title that are looked for, a bound on time; longer titles are lists of keywords."""


def headline_of(
    document: Document,
    features: PageFeatures,
    element_types: UInt64s,
    config: ContainersConfig = CONTAINERS_CONFIG,
) -> Floats:
    """Return whether each segment is the headline, 0 or 1; at most one is. Length n_segments, at least 1.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.features.page_features import read_features
    >>> from templ_core.site_level.places.element_types import element_type_rows
    >>> page = parse_document("<title>Boats</title><h1>Boats</h1><p>1 May<p>They sail.", "")
    >>> headline_of(page, read_features(page), element_type_rows(page)).tolist()
    [1.0, 0.0, 0.0]

    Args:
        document: The page.
        features: The features of the page.
        element_types: The `element_type_rows` of the page.
        config: The tunable numbers.
    """
    headline = np.zeros(len(document.segments.texts))
    title = sorted(set(features.title.tolist()))
    found = -1
    if title:
        wanted = np.array(title[:_TITLE_WORDS_MAX], np.uint64)
        found = find_headline(document, features.words, element_types, wanted, len(title), config)
    if found >= 0:
        headline[found] = 1
    return headline
