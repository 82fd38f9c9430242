"""The columns in which a site and a page speak about the page's segments.

The strings are the names under which `fusion.json` stores its weights; they never change.
"""

import msgspec

from templ_core.array_types import Floats

SiteColumns = dict[str, Floats]
"""Columns by name; each has length n_segments."""

PAGE = "page"
PLACE = "place"
SURROUNDINGS = "surroundings"
USUAL_BEST_CONTAINER = "usual best box"
IN_BEST_CONTAINER = "in the best box"
HEADLINE = "headline"
SAME_SHAPE = "same shape"
USUAL_STRING = "string of most pages"
FEW_COVER = "repeated on few pages"
SOME_COVER = "repeated on some pages"
FEW_COVER_OF_RECORDS = "repeated on few pages of records"
SOME_COVER_OF_RECORDS = "repeated on some pages of records"
LINKS_AGAIN = "links of other pages"

# Columns that are no inputs of the fusion.
BY_TREE = "by tree"
"""Whether the tree templates give the place of a segment, because the site does not know its name, 0 or 1."""
PLACE_PAGES = "pages with the place"
"""Pages of the window that have the place of a segment, by its name or by tree."""
CONSTANT = "constant"
"""Whether a segment is constant text at its path, 0 or 1."""
TRUST = "trust"
"""How much the site's evidence counts for a segment, 0 to 1; for the rest the page alone decides.

It is 1 for text that other pages have, else the share of the page's content that stands at places the site knows, so that
after a redesign missing evidence decides nothing.
"""
LENGTH = "length"
"""The logarithm of a segment's words, cut off at `FusionConfig.length_words_max`."""
RECURS = "recurs"
"""Whether other pages have the text word for word, 0 or 1."""
REASON_STRING = "site-string"
"""The reason of the inputs that say what strings of the site are on the page."""


class FusionInput(msgspec.Struct, frozen=True):
    """One input of the fusion."""

    name: str
    """The name of its column."""
    sign: int
    """1 if more of it speaks for content, -1 if more of it speaks for template."""
    reason: str
    """The reason that is shown where this input decides."""
    neutral: float = 0.0
    """The value that speaks for neither side."""


FUSION_INPUTS = {
    one.name: one
    for one in (
        FusionInput(PAGE, 1, "page-level"),
        FusionInput(PLACE, 1, "site-place"),
        FusionInput(SURROUNDINGS, 1, "site-place"),
        FusionInput(USUAL_BEST_CONTAINER, 1, "site-container", neutral=-0.5),
        FusionInput(IN_BEST_CONTAINER, 1, "site-container"),
        FusionInput(HEADLINE, 1, "headline"),
        FusionInput(SAME_SHAPE, -1, "site-constant"),
        FusionInput(USUAL_STRING, -1, REASON_STRING),
        FusionInput(FEW_COVER, -1, REASON_STRING),
        FusionInput(SOME_COVER, -1, REASON_STRING),
        FusionInput(FEW_COVER_OF_RECORDS, -1, REASON_STRING),
        FusionInput(SOME_COVER_OF_RECORDS, -1, REASON_STRING),
        FusionInput(LINKS_AGAIN, -1, "site-links"),
    )
}
"""All inputs of the fusion, by name."""
STRING_INPUTS = tuple(name for name, one in FUSION_INPUTS.items() if one.reason == REASON_STRING)
"""The inputs that say what strings of the site are on the page."""
REPEATED_INPUTS = frozenset((*STRING_INPUTS, LINKS_AGAIN))
"""The inputs that say that other pages have the text of a segment."""
REASON_TREE = "site-tree"
"""The reason in place of that of `PLACE` where the tree templates give the place."""
REASONS = (*dict.fromkeys(one.reason for one in FUSION_INPUTS.values()), REASON_TREE)
"""The different reasons of the inputs."""
