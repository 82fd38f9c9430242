"""What a page shows of its author and its date in elements that are named after them."""

import re

import numpy as np

from templ_core.dom.document import Document
from templ_core.page_level.features._stems import Stems

_BYLINE = re.compile(
    r"(?:^|[\s_-])(?:byline|author|authors|autor|auteur|autore|writer|contributor|vcard)"
    r"(?:[\s_-]?(?:name|link|names|fn|vcard|info|meta|by))?(?=$|[\s_-])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:^|[\s_-])(?:date|datum|fecha|data|published|pubdate|publish|posted|dateline|timestamp|time|dtreviewed)"
    r"(?:[\s_-]?(?:on|at|time|date|published|created|line))?(?=$|[\s_-])",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"comment|related|popular|sidebar|widget|footer|respond|reply|bio|card|list|avatar",
    re.IGNORECASE,
)
_CHARS_MAX = 120
_ELEMENTS_MAX = 8
_TIMES_MAX = 3
"""Elements of one type that are named after the date of the page; more of them are those of a list."""
_LARGE = frozenset(("body", "html", "article", "main", "section", "form"))
_STEMS = Stems(
    (
        *("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard"),
        *("dat", "fecha", "publi", "posted", "time"),
    )
)
"""Parts of the names of authors and dates."""


def headings(document: Document) -> list[str]:
    """Return the texts of the headings of the first level, at most three.

    >>> from templ_core.dom.document import parse_document
    >>> headings(parse_document("<h1>One <i>two</i></h1><p>Text", ""))
    ['One two']
    """
    types = [number for number, one in enumerate(document.nodes.element_types) if one[0] == "h1"]
    return _texts(document, types, 3)


def named_types(document: Document) -> list[int]:
    """Return the numbers of the element types that may be named after an author or a date."""
    return _STEMS.found_in([attributes for _, attributes in document.nodes.element_types])


def bylines(document: Document, types: list[int]) -> list[str]:
    """Return the short texts of elements that are named after an author, in order.

    Args:
        document: The page.
        types: What `named_types` returns.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<p class="byline">By Ann Lee</p><p>Text', "")
    >>> bylines(page, named_types(page))
    ['By Ann Lee']
    """
    return _texts(document, _named(document, types, _BYLINE), _ELEMENTS_MAX)


def date_texts(document: Document, types: list[int]) -> list[str]:
    """Return the short texts of elements that are named after a date, in order.

    Elements of which a page has many are left out: they stand in a list of other pages.

    Args:
        document: The page.
        types: What `named_types` returns.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<div class="post-date">March 4, 2024</div>', "")
    >>> date_texts(page, named_types(page))
    ['March 4, 2024']
    """
    times = np.bincount(document.nodes.element_type, minlength=len(document.nodes.element_types))
    found = [one for one in _named(document, types, _DATE) if times[one] <= _TIMES_MAX]
    return _texts(document, found, _ELEMENTS_MAX)


def _named(document: Document, types: list[int], names: re.Pattern[str]) -> list[int]:
    """Return the element types that are named so."""
    found = []
    for number in types:
        tag, attributes = document.nodes.element_types[number]
        if tag not in _LARGE and names.search(attributes) and not _NOT.search(attributes):
            found.append(number)
    return found


def _texts(document: Document, types: list[int], count: int) -> list[str]:
    """Return the short texts of the first elements of some types."""
    if not types:
        return []
    nodes, segments = document.nodes, document.segments
    found: list[str] = []
    is_one = np.zeros(len(nodes.element_types), np.bool_)
    is_one[types] = True
    for node in np.flatnonzero(is_one[nodes.element_type])[:count].tolist():
        end = int(nodes.end[node])
        # A segment belongs to a block inside the element, or holds the element as an inline one.
        first = int(np.searchsorted(segments.inline_to, node, side="right"))
        texts: list[str] = []
        for segment in range(first, len(segments.texts)):
            if segments.inline_from[segment] > end or len(texts) > 3:
                break
            owner = int(segments.owner[segment])
            if node <= owner < end or (owner < node and segments.inline_from[segment] <= node):
                texts.append(segments.texts[segment])
        text = " ".join(" ".join(texts).split())
        if text and len(text) <= _CHARS_MAX * (3 if count == 3 else 1) and text not in found:
            found.append(text)
    return found
