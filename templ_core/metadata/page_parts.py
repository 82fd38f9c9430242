"""Which parts of a page are about the page itself, and which about something else: menus, teasers, comments, footers.

A date, a name or a price in the second kind is that of another page, of a reader or of the site.
"""

import functools
import re
from typing import Literal

import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.dom.document import Document
from templ_core.dom.tags import WHOLE_PAGE
from templ_core.page_level.features.surroundings import COMMENTS, REVIEWS, named_roles
from templ_core.patterns import pattern

_TAGS = frozenset(("nav", "menu", "dialog"))
_EDGES = frozenset(("header", "footer", "aside"))
"""Tags of elements that belong to the site, unless they are those of an article."""
_NAME = pattern(
    r"(?:.*[-_])?(?:nav|navbar|navigation|menu|sidebar|side-?bar|breadcrumbs?|related|recommended|recommendations|popular"
    r"|trending|latest|recent|most-?read|most-?viewed|teasers?|promos?|upcoming|calendar|ticker|you-may-(?:also-)?like"
    r"|read-?(?:more|next)|more-(?:news|stories|posts|articles)|siblings?|prev|next|pager|pagination)(?:[-_].*)?"
    r"|(?:site|page|global|main|top|colophon)?[-_]?(?:footer|masthead|topbar|top-bar)(?:[-_](?:bar|wrap|wrapper|inner|area|widgets?|container))?"
    r"|(?:site|global|main)[-_]?header|header|colophon|widget(?:[-_].*)?|secondary|navigation\w*|menu\w*|related\w*|sidebar\w*|recent\w*",
    re.IGNORECASE,
)
"""Names of elements that hold something else than the page."""
_OWN = pattern(
    r"(?:.*[-_])?(?:entry|post|article|story|content|single|hero|elementor)[-_]?(?:header|footer|meta|title|head|info|body|content|wrap|sidebar|aside).*",
    re.IGNORECASE,
)
"""Names of elements that hold the page, whatever else they are named after."""
_ABOUT = pattern(
    r"(?:.*[-_])?(?:entry|post|article|story)[-_]{0,2}(?:meta|metadata|byline|date|dateline|author)",
    re.IGNORECASE,
)
"""Names of elements that are about the page wherever they stand, unless it has many of them."""
_ABOUT_MAX = 2
"""Most elements of one type that are about the page, as above and below its text; more of them are teasers."""


class PageParts:
    """The parts of a page, as its metadata is read from them.

    Few texts of a page are asked for, so the elements around each are looked at when it is.

    Args:
        document: The page.
        headline: Number of the segment that is its headline; None = no segment is.
        kept: Whether each segment is content by the decision of the page; length n_segments.
    """

    def __init__(self, document: Document, headline: int | None, kept: Bools | None) -> None:
        self._nodes, self._owner = document.nodes, document.segments.owner
        self._texts = document.segments.texts
        is_known = kept is not None and len(kept) == len(self._texts)
        self._content: list[int] = (
            kept.nonzero()[0].tolist() if is_known and kept is not None else []
        )
        first, last = (
            (self._content[0], self._content[-1]) if self._content else (0, len(self._texts))
        )
        self.anchor = first if headline is None else headline
        """The segment from which it is measured how near something stands."""
        self._first, self._last = min(first, self.anchor), max(last, self.anchor)
        self._headline = -1 if headline is None else int(self._owner[headline])

    def is_elsewhere(self, segment: int) -> bool:
        """Return whether a segment is in a part about something else, or far from the content."""
        if not self._first - _BEFORE_MAX <= segment <= self._last + _BEHIND_MAX:
            return True
        return self.is_node_elsewhere(int(self._owner[segment]))

    def is_node_elsewhere(self, node: int) -> bool:
        """Return whether an element is in a part about something else.

        A part that holds the headline or most of the content is about the page, and so are all elements around it.
        """
        nodes, is_elsewhere = self._nodes, False
        while node >= 0 and not self._holds_headline(node):
            number = int(nodes.element_type[node])
            tag, attributes = nodes.element_types[number]
            told = "" if tag in WHOLE_PAGE else _told_by(attributes)
            if told == "about" and self._times[number] <= _ABOUT_MAX:
                return False
            is_told = told == "elsewhere" or tag in _TAGS
            if is_told or (tag in _EDGES and not self._is_of_article(node)):
                if self._holds_content(node):
                    break
                is_elsewhere = True
            node = int(nodes.parent[node])
        return is_elsewhere

    def nearness(self, segment: int) -> tuple[bool, int]:
        """Return a key that sorts segments by how near they are to the headline; those behind it come first."""
        return segment < self.anchor, abs(segment - self.anchor)

    def _holds_headline(self, node: int) -> bool:
        return node <= self._headline < int(self._nodes.end[node])

    def _holds_content(self, node: int) -> bool:
        """Return whether an element has at least half of the content of the page."""
        before = self._chars_before
        end = int(self._nodes.end[node])
        return bool(before[-1]) and bool(2 * (before[end] - before[node]) >= before[-1])

    @functools.cached_property
    def _chars_before(self) -> Floats:
        """Characters of content in the elements before each, and in all; length n_nodes + 1."""
        sizes = [len(self._texts[one]) for one in self._content]
        owners = self._owner[self._content] + 1 if sizes else np.zeros(0, np.int64)
        found: Floats = np.bincount(owners, sizes, len(self._nodes.end) + 1).cumsum()
        return found

    @functools.cached_property
    def _times(self) -> list[int]:
        """Number of elements of each type."""
        nodes = self._nodes
        counts: list[int] = np.bincount(
            nodes.element_type, minlength=len(nodes.element_types)
        ).tolist()
        return counts

    def _is_of_article(self, node: int) -> bool:
        """Return whether a head, a foot or an aside is that of the article with the headline, or of any if there is none."""
        nodes = self._nodes
        types, above = nodes.element_types, node
        if any(map(_OWN.fullmatch, types[nodes.element_type[node]][1].split())):
            return True
        while above >= 0:
            if types[nodes.element_type[above]][0] == "article":
                return self._headline < 0 or self._holds_headline(above)
            above = int(nodes.parent[above])
        return False


_BEFORE_MAX = 8
"""Segments before the headline and the content in which a byline may stand."""
_BEHIND_MAX = 8
"""Segments behind the content in which a byline may stand."""


@functools.lru_cache(maxsize=1 << 14)
def _told_by(attributes: str) -> Literal["about", "elsewhere", ""]:
    """Return whether an element is by its names about its page or about something else; empty = neither."""
    names = attributes.split()
    if any(map(_ABOUT.fullmatch, names)):
        return "about"
    is_of_readers = named_roles(attributes) & (COMMENTS | REVIEWS)
    is_else = any(map(_NAME.fullmatch, names)) and not any(map(_OWN.fullmatch, names))
    return "elsewhere" if is_of_readers or is_else else ""
