"""Labels for a page model without gold: SITELEVEL's of each segment, corrected by its place.

Counting texts errs on two sides. Lists that change from page to page (related articles, teasers)
are never equal, so they pass for content; and an article that a listing quotes passes for template.
Both stand in places where most text is of the other kind.
"""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Floats, Int64s, UInt64s
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.labels.node_templates import count_site, site_labels
from templ_core.lab.training.labels.site_pages import ReadPage
from templ_core.site_level.places.places import node_places

TEMPLATE_PLACE_MIN = 0.6
"""In a place where this share of the text recurs, all of it is template."""
CONTENT_PLACE_MAX = 0.1
"""In a place where no more than this recurs, what recurs has no label."""
PLACE_PAGES_MIN = 4
"""Pages that a place must be on before it says anything."""
_WORDS_MAX = 50
"""Words of a segment beyond which it counts no more for its place."""


def counted_labels(pages: Sequence[ReadPage]) -> list[Labels]:
    """Labels of the segments of all pages of a site.

    Args:
        pages: Of one site; near-duplicates left out, as `read_pages` does.
    """
    frequency = count_site(pages)
    recurs = [site_labels(page, frequency).template_segment for page in pages]
    places = [node_places(page.document).path[page.document.segments.owner] for page in pages]
    words = [np.clip(page.words.per_segment, 1, _WORDS_MAX) for page in pages]
    found = []
    for recurring, (share, on_pages) in zip(recurs, _recurring(places, words, recurs), strict=True):
        known = on_pages >= PLACE_PAGES_MIN
        content = ~recurring & ~(known & (share >= TEMPLATE_PLACE_MIN))
        doubtful = recurring & known & (share <= CONTENT_PLACE_MAX)
        found.append(Labels(content=content.astype(np.float64), counts=~doubtful))
    return found


def _recurring(
    places: Sequence[UInt64s], words: Sequence[Int64s], recurs: Sequence[Bools]
) -> list[tuple[Floats, Floats]]:
    """Of each segment's place: the share of its words that recur, and the pages that have it."""
    place = np.unique(np.concatenate(places), return_inverse=True)[1]
    counts = [len(some) for some in places]
    page = np.repeat(np.arange(len(counts)), counts)
    weight = np.concatenate(words).astype(np.float64)
    share = np.bincount(place, weight * np.concatenate(recurs)) / np.bincount(place, weight)
    on_pages = np.bincount(np.unique(place * len(counts) + page) // len(counts)).astype(float)
    ends = np.cumsum(counts)[:-1]
    return list(zip(np.split(share[place], ends), np.split(on_pages[place], ends), strict=True))
