"""What a page shows of its author and its date beside its headline and in elements that are named after them."""

import re

import numpy as np

from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.page_level.features._stems import Stems

_BYLINE = re.compile(
    r"(?:^|[\s_-]|(?-i:(?<=[a-z])(?=[A-Z])))(?:byline|author|authors|autor|auteur|autore|writer|contributor|vcard)"
    r"(?:[\s_-]?(?:name|link|names|fn|vcard|info|meta|by))?(?=$|[\s_-]|(?-i:[A-Z]))",
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
_AUTHOR_BOX = re.compile(
    r"(?:^|[\s_-])(?:(?:author|post|entry|article)[\s_-]*(?:bio|box)|about[\s_-]*(?:the[\s_-]*)?author)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""Names of elements that tell of the author of the page."""
_BEFORE_HEADLINE = 3
_BEHIND_HEADLINE = 4
"""Texts before and behind the headline among which bylines and dates stand."""
_BOX_TEXTS = 2
"""Texts of such an element that are looked at."""
_CHARS_MAX = 120
_ELEMENTS_MAX = 8
_TEXTS_MAX = 4
"""Texts of an element that are looked at."""
_TIMES_MAX = 3
"""Elements of one type that are named after the author or the date of the page; more of them are those of a list."""
_LARGE = frozenset(("body", "html", "article", "main", "section", "form"))
_STEMS = Stems(
    (
        *("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard"),
        *("bio", "about"),
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
    """Return the short texts of elements that are named after an author, in order, each text on a line.

    Elements of which a page has many are left out: they stand in a list of other pages, or in comments.

    Args:
        document: The page.
        types: What `named_types` returns.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<p class="byline">By Ann Lee</p><p>Text', "")
    >>> bylines(page, named_types(page))
    ['By Ann Lee']
    """
    return _texts(document, _few(document, _named(document, types, _BYLINE)), _ELEMENTS_MAX, "\n")


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
    return _texts(document, _few(document, _named(document, types, _DATE)), _ELEMENTS_MAX)


def beside_headline(document: Document, title: str) -> list[int]:
    """Return the numbers of the short texts beside the headline, those behind it first.

    Headings are left out, and items of lists before the headline, since they are those of menus.

    Args:
        document: The page.
        title: Headline of the page.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<p>News<h1>Bridge opens</h1><p>By Ann Lee<p>4 March 2024", "")
    >>> beside_headline(page, "Bridge opens")
    [2, 3, 0]
    """
    texts = document.segments.texts
    at = _heading_at(document, title)
    if at is None:
        return []
    behind = range(at + 1, min(at + 1 + _BEHIND_HEADLINE, len(texts)))
    before = range(at - 1, max(at - 1 - _BEFORE_HEADLINE, -1), -1)
    near = [one for one in behind if _owner_tag(document, one) not in HEADING_LEVELS]
    near += [one for one in before if _owner_tag(document, one) not in {*HEADING_LEVELS, "li"}]
    return [one for one in near if len(texts[one]) <= _CHARS_MAX]


def author_boxes(document: Document, types: list[int]) -> list[str]:
    """Return the first short texts of elements that tell of the author of the page, in order.

    Args:
        document: The page.
        types: What `named_types` returns.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     '<p>Text<div class="author-box"><h4>Ann Lee</h4><p>She writes.</div>', ""
    ... )
    >>> author_boxes(page, named_types(page))
    ['Ann Lee', 'She writes.']
    """
    boxes = [one for one in types if _AUTHOR_BOX.search(document.nodes.element_types[one][1])]
    found: list[str] = []
    for node in _nodes_of(document, boxes, _ELEMENTS_MAX):
        found += _texts_in(document, node, _BOX_TEXTS)
    return [text for text in found if len(text) <= _CHARS_MAX]


def _heading_at(document: Document, title: str) -> int | None:
    """Return the number of the first text that is this title and a heading; None = there is none."""
    texts, at = document.segments.texts, -1
    for _ in range(texts.count(title)):
        at = texts.index(title, at + 1)
        if _owner_tag(document, at) in HEADING_LEVELS:
            return at
    return None


def _owner_tag(document: Document, segment: int) -> str:
    """Return the tag of the element that holds a text."""
    nodes = document.nodes
    number = int(nodes.element_type[document.segments.owner[segment]])
    return nodes.element_types[number][0]


def _named(document: Document, types: list[int], names: re.Pattern[str]) -> list[int]:
    """Return the element types that are named so."""
    found = []
    for number in types:
        tag, attributes = document.nodes.element_types[number]
        if tag not in _LARGE and names.search(attributes) and not _NOT.search(attributes):
            found.append(number)
    return found


def _few(document: Document, types: list[int]) -> list[int]:
    """Return those of some element types of which the page has few elements."""
    if not types:
        return []
    times = np.bincount(document.nodes.element_type, minlength=len(document.nodes.element_types))
    return [one for one in types if times[one] <= _TIMES_MAX]


def _texts(document: Document, types: list[int], count: int, between: str = " ") -> list[str]:
    """Return the short texts of the first elements of some types."""
    found: list[str] = []
    for node in _nodes_of(document, types, count):
        texts = (" ".join(text.split()) for text in _texts_in(document, node, _TEXTS_MAX))
        text = between.join(filter(None, texts))
        if text and len(text) <= _CHARS_MAX * (3 if count == 3 else 1) and text not in found:
            found.append(text)
    return found


def _nodes_of(document: Document, types: list[int], count: int) -> list[int]:
    """Return the first elements of some types."""
    if not types:
        return []
    is_one = np.zeros(len(document.nodes.element_types), np.bool_)
    is_one[types] = True
    found: list[int] = is_one[document.nodes.element_type].nonzero()[0][:count].tolist()
    return found


def _texts_in(document: Document, node: int, count: int) -> list[str]:
    """Return the first texts inside an element."""
    segments = document.segments
    end = int(document.nodes.end[node])
    # A segment belongs to a block inside the element, or holds the element as an inline one.
    first = int(segments.inline_to.searchsorted(node, side="right"))
    found: list[str] = []
    for segment in range(first, len(segments.texts)):
        if segments.inline_from[segment] > end or len(found) == count:
            break
        owner = int(segments.owner[segment])
        if node <= owner < end or (owner < node and segments.inline_from[segment] <= node):
            found.append(segments.texts[segment])
    return found
