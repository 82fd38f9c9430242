"""Labels without gold: those of SITELEVEL for each segment, corrected by its place.

Counting equal texts makes two kinds of mistakes. Lists that change from page to page (related
articles, teasers) never repeat, so they look like content. An article that a listing quotes repeats,
so it looks like template. Both stand in places where most of the text has the other label.
"""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Floats, Int64s, UInt64s
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.labels.node_templates import count_site, site_labels
from templ_core.lab.training.labels.site_pages import ReadPage
from templ_core.site_level.places.places import node_places

_TEMPLATE_PLACE_MIN = 0.6
"""If at least this share of the text in a place repeats, all of the place is template."""
_CONTENT_PLACE_MAX = 0.1
"""If at most this share of the text in a place repeats, the text that repeats gets no label."""
_PLACE_PAGES_MIN = 4
"""Places on fewer pages correct nothing."""
_WORDS_MAX = 50
"""A segment counts for its place with at most this number of words."""


def counted_labels(pages: Sequence[ReadPage]) -> list[Labels]:
    """Return the labels of the segments of all pages of a site.

    Args:
        pages: The pages of one site without near-duplicates, as `parse_site_pages` returns them.
    """
    frequency = count_site(pages)
    recurs = [site_labels(page, frequency).template_segment for page in pages]
    places = [node_places(page.document).path[page.document.segments.owner] for page in pages]
    words = [np.clip(page.words.per_segment, 1, _WORDS_MAX) for page in pages]
    found = []
    for recurring, (share, on_pages) in zip(recurs, _recurring(places, words, recurs), strict=True):
        known = on_pages >= _PLACE_PAGES_MIN
        content = ~recurring & ~(known & (share >= _TEMPLATE_PLACE_MIN))
        doubtful = recurring & known & (share <= _CONTENT_PLACE_MAX)
        found.append(Labels(content=content.astype(np.float64), counts=~doubtful))
    return found


def _recurring(
    places: Sequence[UInt64s], words: Sequence[Int64s], recurs: Sequence[Bools]
) -> list[tuple[Floats, Floats]]:
    """Return, for each segment's place, the share of its words that repeat and the pages that have it."""
    place = np.unique(np.concatenate(places), return_inverse=True)[1]
    counts = [len(some) for some in places]
    page = np.repeat(np.arange(len(counts)), counts)
    weight = np.concatenate(words).astype(np.float64)
    share = np.bincount(place, weight * np.concatenate(recurs)) / np.bincount(place, weight)
    on_pages = np.bincount(np.unique(place * len(counts) + page) // len(counts)).astype(float)
    ends = np.cumsum(counts)[:-1]
    return list(zip(np.split(share[place], ends), np.split(on_pages[place], ends), strict=True))
