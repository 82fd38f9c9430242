"""The short texts of elements that are named after what they hold, such as an author or a date."""

import re
from operator import itemgetter

from templ_core.metadata._scans import texts_within
from templ_core.metadata.page_view import PageView
from templ_core.page_level.features._stems import Stems

_OTHERS = Stems(
    (
        *("comment", "related", "popular", "sidebar", "widget", "footer", "respond", "reply"),
        *("bio", " card", "-card", "list", "avatar"),
    )
)
"""Parts of the names of elements that hold something else, or more than an author or a date."""
_LARGE = frozenset(("body", "html", "article", "main", "section", "form"))
_CHARS_MAX = 120
_ELEMENTS_MAX = 8
_TEXTS_MAX = 4
"""Texts of an element that are looked at."""
_TIMES_MAX = 3
"""Elements of one type that are about the page; more of them are those of a list of other pages, or of comments."""
_ELEMENT = itemgetter(2, 3)


def named_texts(
    page: PageView, of_types: list[int], names: re.Pattern[str], between: str
) -> list[tuple[int, str]]:
    """Return the short texts of elements with such names, the nearest to the headline first, if the page has few of them.

    Args:
        page: The page.
        of_types: Numbers of the element types that may have such names.
        names: Finds the names in the attributes of an element.
        between: What stands between the texts of one element.

    Returns:
        The number of the first segment of each element, and its text with single blanks.
    """
    types = page.document.nodes.element_types
    named = []
    for number in of_types:
        tag, attributes = types[number]
        if tag not in _LARGE and names.search(attributes) and not _OTHERS.found_in([attributes]):
            named.append(number)
    if not named:
        return []
    ranked = []
    within = texts_within(page.document, named, between, _ELEMENTS_MAX, _TEXTS_MAX, _TIMES_MAX)
    for number, (segment, text) in enumerate(within):
        if 0 < len(text) <= _CHARS_MAX:
            ranked.append((page.parts.nearness(segment), number, segment, text))
    return [*map(_ELEMENT, sorted(ranked))]
