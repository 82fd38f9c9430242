"""Features of what a page declares about itself: its article body, and its title."""

import numpy as np

from templ_core.array_types import UInt64s
from templ_core.page_level.features import _declared_features
from templ_core.page_level.features.characters import read_characters, read_words

DECLARED_FEATURES = tuple(f"declared: {name}" for name in _declared_features.declared_columns())
"""Names of the features of what a page declares.

They are whether a segment is inside (1) or outside (-1) the declared article body, or that there is none
(0); the share of the page's words that is inside; the share of the segment's words that the title has; and
the logarithm of the words between the headline and the segment, below 0 before the headline. The headline
is the segment most like the title, a heading if there is one.
"""
_TITLE_WORDS_MAX = 64


def title_hashes(title: str) -> UInt64s:
    """Return the hashes of the first different words of a title.

    >>> len(title_hashes("Rain, rain and cold")), len(title_hashes(""))
    (3, 0)
    """
    if not title:
        return np.empty(0, np.uint64)
    return np.unique(read_words(read_characters([title])).hashes[:_TITLE_WORDS_MAX])
