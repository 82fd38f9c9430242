"""What a page shows of its author and its date beside its headline and in elements that are named after them."""

import re

from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.metadata._scans import segments_within, types_with_tags
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_BYLINE = pattern(
    r"(?:^|[\s_-]|(?-i:(?<=[a-z])(?=[A-Z])))(?:byline|author|authors|autor|auteur|autore|writer|contributor|vcard)"
    r"(?:[\s_-]?(?:name|link|names|fn|vcard|info|meta|by))?(?=$|[\s_-]|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_DATE = pattern(
    r"(?:^|[\s_-])(?:date|datum|fecha|data|published|pubdate|publish|posted|dateline|timestamp|time|dtreviewed)"
    r"(?:[\s_-]?(?:on|at|time|date|published|created|line))?(?=$|[\s_-])",
    re.IGNORECASE,
)
_NOT = pattern(
    r"comment|related|popular|sidebar|widget|footer|respond|reply|bio|card|list|avatar",
    re.IGNORECASE,
)
_AUTHOR_BOX = pattern(
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
_HEADING_CHARS_MAX = 360
_HEADINGS_MAX = 3
_TOP_HEADINGS = frozenset(("h1",))
_ELEMENTS_MAX = 8
_TEXTS_MAX = 4
"""Texts of an element that are looked at."""
_TIMES_MAX = 3
"""Elements of one type that are named after the author or the date of the page; more of them are those of a list."""
_LARGE = frozenset(("body", "html", "article", "main", "section", "form"))
_AUTHOR_STEMS = Stems(
    ("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard", "bio", "about")
)
_DATE_STEMS = Stems(("dat", "fecha", "publi", "posted", "time"))


def headings(document: Document) -> list[str]:
    """Return the texts of the headings of the first level, at most three.

    >>> from templ_core.dom.document import parse_document
    >>> headings(parse_document("<h1>One <i>two</i></h1><p>Text", ""))
    ['One two']
    """
    types = types_with_tags(document.nodes.element_types, _TOP_HEADINGS)
    elements = segments_within(document, types, _HEADINGS_MAX, _TEXTS_MAX)
    return _joined(document, elements, " ", _HEADING_CHARS_MAX)


def author_texts(document: Document) -> tuple[list[str], list[str]]:
    """Return the short texts of elements that are named after an author, and those of notes on the author.

    Each text of a named element is a line. Elements of which a page has many are left out: they stand in a
    list of other pages, or in comments.

    >>> from templ_core.dom.document import parse_document
    >>> note = '<div class="author-bio"><h4>Ann Lee</h4><p>She writes.</div>'
    >>> author_texts(parse_document(f'<p class="byline">By Ann Lee</p><p>Text{note}', ""))
    (['By Ann Lee'], ['Ann Lee', 'She writes.'])
    """
    types = document.nodes.element_types
    named = _AUTHOR_STEMS.found_in_attributes(types)
    notes = [number for number in named if _AUTHOR_BOX.search(types[number][1])]
    elements = segments_within(document, notes, _ELEMENTS_MAX, _BOX_TEXTS) if notes else []
    texts = [document.segments.texts[number] for within in elements for number in within]
    return (
        _named(document, named, _BYLINE, "\n"),
        [text for text in texts if len(text) <= _CHARS_MAX],
    )


def date_texts(document: Document) -> list[str]:
    """Return the short texts of elements that are named after a date, in order.

    Elements of which a page has many are left out: they stand in a list of other pages.

    >>> from templ_core.dom.document import parse_document
    >>> date_texts(parse_document('<div class="post-date">March 4, 2024</div>', ""))
    ['March 4, 2024']
    """
    dated = _DATE_STEMS.found_in_attributes(document.nodes.element_types)
    return _named(document, dated, _DATE, " ")


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


def _heading_at(document: Document, title: str) -> int | None:
    """Return the number of the first text that is this title and a heading; None = there is none."""
    texts, at = document.segments.texts, -1
    for _ in range(texts.count(title)):
        at = texts.index(title, at + 1)
        if _owner_tags(document, range(at, at + 1))[0] in HEADING_LEVELS:
            return at
    return None


def _owner_tags(document: Document, segments: range) -> list[str]:
    """Return the tags of the elements that hold some texts."""
    nodes = document.nodes
    owners = document.segments.owner[segments.start : segments.stop]
    return [nodes.element_types[number][0] for number in nodes.element_type[owners].tolist()]


def _named(
    document: Document, of_types: list[int], names: re.Pattern[str], between: str
) -> list[str]:
    """Return the short texts of the elements that are named so and of which the page has few."""
    types = document.nodes.element_types
    named = [
        number
        for number in of_types
        if types[number][0] not in _LARGE
        and names.search(types[number][1])
        and not _NOT.search(types[number][1])
    ]
    if not named:
        return []
    elements = segments_within(document, named, _ELEMENTS_MAX, _TEXTS_MAX, _TIMES_MAX)
    return _joined(document, elements, between, _CHARS_MAX)


def _joined(
    document: Document, elements: list[list[int]], between: str, chars_max: int
) -> list[str]:
    """Return the different texts of elements that are short, each joined of its segments."""
    texts = document.segments.texts
    joined = [
        between.join([" ".join(texts[one].split()) for one in within if texts[one]])
        for within in elements
    ]
    return list(dict.fromkeys([text for text in joined if text and len(text) <= chars_max]))
