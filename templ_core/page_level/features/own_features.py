"""Features of a segment's own text, links and owner."""

from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Segments
from templ_core.page_level.features import _own_features
from templ_core.page_level.features.characters import Characters

TEXT_FEATURES = (
    "log words",
    "log characters",
    "word length",
    "sentence ends",
    "words per sentence end",
    "commas",
    "commas per word",
    "separators",
    "separators per word",
    "digits per character",
    "date or year",
    "upper-case words",
    "ends a sentence",
    "ends with a colon",
    "starts upper-case",
    "different words",
    "copyright",
    "ellipses",
)
"""Of its characters and words. Counts are cut off; a year is one from 1900 to 2099, a date has
digits around a mark as in 3.10."""
LINK_FEATURES = (
    "link density",
    "links",
    "external links",
    "links on the page",
    "external share",
)
OWNER_TAGS = (
    "p", "h1", "h2", "h3", "h4", "li", "td", "div", "button", "pre", "th", "dd", "option",
    "noscript", "form",
)  # fmt: skip
OWNER_FEATURES = (
    "depth",
    "compressed depth",
    "hidden",
    "images",
    *(f"in {tag}" for tag in OWNER_TAGS),
)


def link_density(characters: Characters, segments: Segments) -> Floats:
    """Share of each segment's characters, white space aside, that is link text; 0 to 1."""
    return _own_features.link_density(characters, segments.link_chars)


def sentence_ends(characters: Characters) -> Int64s:
    """Sentence ends of each segment: a full stop or the like before a blank or a closing mark."""
    return _own_features.sentence_ends(characters)
