"""Where the headline of a page stands, and the short texts beside it, among which are its byline and its day."""

import functools

import numpy as np

from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.metadata._scans import types_with_tags
from templ_core.patterns import pattern

_NO_LETTERS = pattern(r"[\W_]+")
_BEFORE_HEADLINE = 3
_BEHIND_HEADLINE = 4
"""Texts before and behind the headline among which bylines and dates stand."""
_CHARS_MAX = 120
_HEADINGS = frozenset(HEADING_LEVELS)
_PART_CHARS_MIN = 5


@functools.lru_cache(1 << 8)
def letters_of(text: str) -> str:
    """Return the letters and digits of a text in one case, by which titles and headings are compared."""
    return _NO_LETTERS.sub("", text).casefold()


def beside_headline(document: Document, at: int | None) -> list[int]:
    """Return the numbers of the short texts beside the headline, those behind it first.

    Headings are left out, and items of lists before the headline, since they are those of menus.

    Args:
        document: The page.
        at: Number of the segment that is its headline; None = there is none.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<p>News<h1>Bridge opens</h1><p>By Ann Lee<p>4 March 2024", "")
    >>> beside_headline(page, 1)
    [2, 3, 0]
    """
    texts = document.segments.texts
    if at is None:
        return []
    first = max(at - _BEFORE_HEADLINE, 0)
    near = range(first, min(at + 1 + _BEHIND_HEADLINE, len(texts)))
    tags = dict(zip(near, _owner_tags(document, near), strict=True))
    return [
        one
        for one in (*near[at + 1 - first :], *reversed(near[: at - first]))
        if tags[one] not in HEADING_LEVELS
        and (one > at or tags[one] != "li")
        and len(texts[one]) <= _CHARS_MAX
    ]


def heading_at(document: Document, title: str) -> int | None:
    """Return the number of the first heading that is a title, or else of the first that is a part of it; None = there is none."""
    texts, at = document.segments.texts, -1
    for _ in range(texts.count(title)):
        at = texts.index(title, at + 1)
        if _owner_tags(document, range(at, at + 1))[0] in HEADING_LEVELS:
            return at
    is_heading = np.zeros(len(document.nodes.element_types), np.bool_)
    is_heading[types_with_tags(document.nodes.element_types, _HEADINGS)] = True
    owners = document.nodes.element_type[document.segments.owner]
    own = letters_of(title)
    for one in is_heading[owners].nonzero()[0].tolist():
        letters = letters_of(texts[one])
        if len(letters) > _PART_CHARS_MIN and (letters in own or own in letters):
            return int(one)
    return None


def _owner_tags(document: Document, segments: range) -> list[str]:
    """Return the tags of the elements that hold some texts."""
    nodes = document.nodes
    owners = document.segments.owner[segments.start : segments.stop]
    return [nodes.element_types[number][0] for number in nodes.element_type[owners].tolist()]
