"""What a page shows of its author and its date in elements that are named after them."""

import re

import numpy as np

from templ_core.dom.document import Document

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
_NOT = re.compile(r"comment|related|popular|sidebar|widget|footer|respond|reply|bio|card|list|avatar", re.IGNORECASE)
_CHARS_MAX = 120
_ELEMENTS_MAX = 8
_STEMS = ("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard")
_DATE_STEMS = ("dat", "fecha", "publi", "posted", "time", "pubdate")


def headings(document: Document) -> list[str]:
    """Return the texts of the headings of the first level, at most three.

    >>> from templ_core.dom.document import parse_document
    >>> headings(parse_document("<h1>One <i>two</i></h1><p>Text", ""))
    ['One two']
    """
    types = [number for number, (tag, _) in enumerate(document.nodes.element_types) if tag == "h1"]
    return _texts(document, types, 3)


def bylines(document: Document) -> list[str]:
    """Return the short texts of elements that are named after an author, in order.

    >>> from templ_core.dom.document import parse_document
    >>> bylines(parse_document('<p class="byline">By Ann Lee</p><p>Text', ""))
    ['By Ann Lee']
    """
    return _named(document, _BYLINE, _STEMS)


def date_texts(document: Document) -> list[str]:
    """Return the short texts of elements that are named after a date, in order.

    >>> from templ_core.dom.document import parse_document
    >>> date_texts(parse_document('<div class="post-date">March 4, 2024</div>', ""))
    ['March 4, 2024']
    """
    return _named(document, _DATE, _DATE_STEMS)


def _named(document: Document, names: re.Pattern[str], stems: tuple[str, ...]) -> list[str]:
    types = []
    for number, (tag, attributes) in enumerate(document.nodes.element_types):
        if not attributes or tag in {"body", "html", "article", "main", "section", "form"}:
            continue
        lower = attributes.lower()
        if any(stem in lower for stem in stems) and names.search(lower) and not _NOT.search(lower):
            types.append(number)
    return _texts(document, types, _ELEMENTS_MAX)


def _texts(document: Document, types: list[int], count: int) -> list[str]:
    """Return the short texts of the first elements of some types."""
    if not types:
        return []
    nodes, segments = document.nodes, document.segments
    found: list[str] = []
    for node in np.flatnonzero(np.isin(nodes.element_type, types))[:count].tolist():
        end = int(nodes.end[node])
        # A segment belongs to a block inside the element, or holds the element as an inline one.
        first = int(np.searchsorted(segments.inline_to, node, side="right"))
        texts = []
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
