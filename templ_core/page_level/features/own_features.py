"""Features of a segment's own text, its links and its owner (the block it stands in)."""

from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Segments
from templ_core.page_level.features import _own_features
from templ_core.page_level.features.characters import Characters

TEXT_FEATURES = tuple(_own_features.text_columns())
"""Names of the features of a segment's characters and words.

Counts are capped by `FeatureConfig`. A year is one from 1900 to 2099; a date has digits on both
sides of a mark, as 3.10 has.
"""
LINK_FEATURES = tuple(_own_features.link_columns())
"""Names of the features of a segment's links.

Link density is the share of the characters that is link text; links on the page lead to a fragment
of the page itself, external ones to another site.
"""
OWNER_TAGS = (
    "p", "h1", "h2", "h3", "h4", "li", "td", "div", "button", "pre", "th", "dd", "option",
    "noscript", "form",
)  # fmt: skip
"""Tags of owners that have a column each."""
OWNER_FEATURES = (
    *_own_features.owner_columns(),
    *(f"in {tag}" for tag in OWNER_TAGS),
)
"""Names of the features of the block that a segment stands in."""


def link_density(characters: Characters, segments: Segments) -> Floats:
    """Return the share of each segment's characters that is link text, 0 to 1; length n_segments.

    White space does not count.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.features.characters import read_characters
        >>> page = parse_document("<p>See <a href=/a>a b</a><p>Plain", "https://example.com/")
        >>> link_density(read_characters(page.segments.texts), page.segments).tolist()
        [0.4, 0.0]
    """
    return _own_features.link_density(characters, segments.link_chars)


def sentence_ends(characters: Characters) -> Int64s:
    """Return the number of sentence ends of each segment; length n_segments.

    A sentence ends with a full stop or the like before white space or a closing mark. In scripts
    without blanks the mark alone is enough.

    Example:
        >>> from templ_core.page_level.features.characters import read_characters
        >>> sentence_ends(
        ...     read_characters(["It rains. Go (now!)", "version 2.1", "下雨。"])
        ... ).tolist()
        [2, 0, 1]
    """
    return _own_features.sentence_ends(characters)
