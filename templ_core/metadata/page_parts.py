"""Which parts of a page tell of the page itself, and which of something else: menus, teasers, comments, feet.

A date, a name or a price in the second kind is that of another page, of a reader or of the site.
"""

import functools
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.metadata._scans import types_with_tags
from templ_core.page_level.features._stems import Stems
from templ_core.page_level.features.surroundings import COMMENTS, REVIEWS, named_roles
from templ_core.patterns import pattern

_TAGS = frozenset(("nav", "menu", "dialog"))
_EDGES = frozenset(("header", "footer", "aside"))
"""Tags of elements that belong to the site, unless they are those of an article."""
_ARTICLE = frozenset(("article",))
_WHOLE = frozenset(("html", "body", "main"))
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
"""Names of elements that tell of the page wherever they stand, unless it has many of them."""
_ABOUT_MAX = 2
"""Elements of one type that tell of the page, such as those above and below its text; more are those of teasers."""
_STEMS = (
    "meta", "byline", "date", "author",
    "nav", "menu", "sidebar", "side-bar", "breadcrumb", "related", "recommend", "popular", "trending", "latest",
    "recent", "read-", "readmore", "readnext", "most-", "mostread", "mostviewed", "teaser", "promo", "upcoming", "calendar", "ticker", "you-may", "more-",
    "sibling", "prev", "next", "pager", "paginat", "footer", "masthead", "topbar", "top-bar", "header",
    "colophon", "widget", "secondary", "comment", "kommentar", "comentario", "respond", "disqus", "review",
)  # fmt: skip
"""Parts of names: each name that `_NAME` or a text role matches holds one of them."""


class PageParts:
    """The parts of a page, as its metadata is read from them.

    Args:
        document: The page.
        headline: Number of the segment that is its headline; None = no segment is.
        kept: Whether each segment is content by the decision of the page; length n_segments.
    """

    def __init__(self, document: Document, headline: int | None, kept: Bools | None) -> None:
        self._document = document
        texts = document.segments.texts
        content = kept.nonzero()[0].tolist() if kept is not None and len(kept) == len(texts) else []
        first, last = (content[0], content[-1]) if content else (0, len(texts))
        self.anchor = first if headline is None else headline
        """The segment from which it is measured how near something stands."""
        self._first = min(first, self.anchor)
        self._last = max(last, self.anchor)
        self._given = headline, content

    @functools.cached_property
    def _inside(self) -> Bools | None:
        return self._elsewhere(*self._given)

    def is_elsewhere(self, segment: int) -> bool:
        """Return whether a segment is of a part that tells of something else, or far from the content."""
        if not self._first - _BEFORE_MAX <= segment <= self._last + _BEHIND_MAX:
            return True
        return bool(self._inside is not None and self._inside[self._owner_of(segment)])

    def is_node_elsewhere(self, node: int) -> bool:
        """Return whether an element is in a part that tells of something else."""
        return bool(self._inside is not None and self._inside[node])

    def nearness(self, segment: int) -> tuple[bool, int]:
        """Return a key that sorts segments by how near they are to the headline; those behind it come first."""
        return segment < self.anchor, abs(segment - self.anchor)

    def _owner_of(self, segment: int) -> int:
        return int(self._document.segments.owner[segment])

    def _elsewhere(self, headline: int | None, content: Sequence[int]) -> Bools | None:
        """Return for each element whether it is in such a part; None = there is none."""
        nodes, segments = self._document.nodes, self._document.segments
        edges, named, about = _told_types(nodes.element_types)
        if not named and not edges:
            return None
        is_told = np.zeros(len(nodes.element_types), np.bool_)
        is_told[[*named, *edges]] = True
        found = is_told[nodes.element_type].nonzero()[0]
        ends = nodes.end[found]
        at = int(segments.owner[self.anchor]) if headline is not None else -1
        stays = (found <= at) & (at < ends)
        if content:
            sizes = [len(segments.texts[one]) for one in content]
            owners = segments.owner[list(content)] + 1
            chars = np.bincount(owners, sizes, len(nodes.end) + 1).cumsum()
            stays |= 2 * (chars[ends] - chars[found]) >= chars[-1]
        articles = self._articles()
        types = nodes.element_type[found].tolist()
        for place, (number, node) in enumerate(zip(types, found.tolist(), strict=True)):
            if number in edges and self._is_of_article(node, at, articles):
                stays[place] = True
        found = found[~stays]
        change = np.zeros(len(nodes.end) + 1, np.int32)
        np.add.at(change, found, 1)
        np.add.at(change, nodes.end[found], -1)
        inside: Bools = change[:-1].cumsum() > 0
        for number in about:
            of_type = (nodes.element_type == number).nonzero()[0]
            if len(of_type) <= _ABOUT_MAX:
                for node in of_type.tolist():
                    inside[node : nodes.end[node]] = False
        return inside

    def _articles(self) -> list[tuple[int, int]]:
        """Return where the articles of the page begin and end."""
        nodes = self._document.nodes
        is_article = np.zeros(len(nodes.element_types), np.bool_)
        is_article[types_with_tags(nodes.element_types, _ARTICLE)] = True
        begins = is_article[nodes.element_type].nonzero()[0]
        return list(zip(begins.tolist(), nodes.end[begins].tolist(), strict=True))

    def _is_of_article(self, node: int, headline: int, articles: list[tuple[int, int]]) -> bool:
        """Return whether a head, a foot or an aside is that of the article with the headline, or of any if there is none."""
        nodes = self._document.nodes
        names = nodes.element_types[nodes.element_type[node]][1].split()
        if any(map(_OWN.fullmatch, names)):
            return True
        for begin, end in reversed(articles):
            if begin <= node < end:
                return headline < 0 or begin <= headline < end
        return False


def _told_types(types: list[tuple[str, str]]) -> tuple[set[int], set[int], list[int]]:
    """Return the numbers of the element types that are edges by their tag, of something else, and about the page."""
    edges, named = set(types_with_tags(types, _EDGES)), set(types_with_tags(types, _TAGS))
    about: list[int] = []
    for number in _name_stems().found_in_attributes(types):
        tag, attributes = types[number]
        told = "" if tag in _WHOLE else _told_by(attributes)
        if told == "about":
            about.append(number)
        elif told:
            named.add(number)
    return edges - named, named, about


_BEFORE_MAX = 8
"""Segments before the headline and the content in which a byline may stand."""
_BEHIND_MAX = 8
"""Segments behind the content in which a byline may stand."""


@functools.cache
def _name_stems() -> Stems:
    return Stems(_STEMS)


@functools.lru_cache(maxsize=1 << 14)
def _told_by(attributes: str) -> Literal["about", "elsewhere", ""]:
    """Return whether the names of an element tell that it is about its page, or of something else; empty = neither."""
    names = attributes.split()
    if any(map(_ABOUT.fullmatch, names)):
        return "about"
    is_of_readers = named_roles(attributes) & (COMMENTS | REVIEWS)
    is_else = any(map(_NAME.fullmatch, names)) and not any(map(_OWN.fullmatch, names))
    return "elsewhere" if is_of_readers or is_else else ""
