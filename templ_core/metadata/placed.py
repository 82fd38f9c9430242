"""What stands once on each page of a site, at the same place: where its dates and bylines are.

A date in a header that is the same on all pages, in a list of other pages, or in a comment stands
elsewhere: it does not change from page to page, or its place has several texts on a page.
"""

from collections import Counter

import msgspec
import numpy as np

from templ_core.dom.document import Document
from templ_core.metadata._scans import types_with_tags
from templ_core.site_level.places.places import PagePlaces, PlaceTable
from templ_core.site_level.titles import NO_ENDS, TitleEnds

# Chosen on ten pages each of 126 sites of the development corpora; 0.99 of the dates that they find are right.
_PAGES_MIN = 4
"""Pages of the window that must have the place."""
_WORDS_RATIO_MAX = 1.6
"""Words that pages have at the place, relative to those on this page; more are those of a list."""
_WORDS_MORE = 2
"""Words that pages may have at the place beyond `_WORDS_RATIO_MAX`."""
_DIFFERENT_RATIO_MIN = 0.3
"""Share of the words at the place that are of different texts, 0 to 1, from which on it varies."""
_CHARS_MAX = 160
"""Characters of the longest text that is looked at; a longer one is prose."""
_HEADINGS = frozenset(("h1", "h2"))


class SitePlaces(msgspec.Struct, frozen=True):
    """The places of a page, and what is known about them and about titles from other pages of its site."""

    page: PagePlaces
    site: PlaceTable
    titles: TitleEnds = NO_ENDS


def placed_texts(document: Document, places: SitePlaces) -> list[int]:
    """Return the numbers of the short texts that stand once on each page and vary.

    Headings are left out, since they quote dates and names.

    Args:
        document: The page.
        places: The places of its text, and those of its site.
    """
    path, words = places.page.path, places.page.words
    pages, words_there, different = places.site.paths.of(path)
    room = _WORDS_RATIO_MAX * words + _WORDS_MORE
    varies = different >= _DIFFERENT_RATIO_MIN * words_there
    fits = (pages >= _PAGES_MIN) & (words_there <= pages * room) & varies
    nodes, texts = document.nodes, document.segments.texts
    short = [one for one in fits.nonzero()[0].tolist() if len(texts[one]) <= _CHARS_MAX]
    if not short:
        return []
    times = Counter(path.tolist())
    is_of_heading = np.zeros(len(nodes.element_types), np.bool_)
    is_of_heading[types_with_tags(nodes.element_types, _HEADINGS)] = True
    is_heading = is_of_heading[nodes.element_type[document.segments.owner]]
    return [one for one in short if times[path[one]] == 1 and not is_heading[one]]


def repeated_texts(places: SitePlaces, segments: list[int]) -> set[int]:
    """Return those of some segments whose text stands on more than half of the other pages, too.

    Args:
        places: The places of the page and of its site.
        segments: Numbers of the segments.
    """
    pages = places.site.texts.of(places.page.text[segments])[0]
    return {
        one for one, times in zip(segments, pages, strict=True) if 2 * times > places.site.pages
    }
