"""What the pages of a window add up to, place by place and text by text: exact counts."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.places.keyed_sums import KeyedSums, count_columns, no_sums, sum_by_key
from templ_core.site_level.places.places import PagePlaces

MASS_UNIT = 1000
"""Content mass of a word that is surely content: mass is probability times words, in thousandths."""
FACTOR = np.uint64(0x9E3779B97F4A7C15)


class PlaceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over pages; what some pages add is a value of this type too."""

    pages: int
    """Pages that were counted."""
    runs: KeyedSums
    """Words, content mass and occurrences of each text at each cell; the labels are cell, path, anchor
    and text."""
    paths: KeyedSums
    """Pages that have each path."""
    texts: KeyedSums
    """Pages that have each text: the node frequency of Chakrabarti et al. (WWW 2007), section 4.1."""
    shapes: KeyedSums
    """Pages that have each shape of a text."""
    containers: KeyedSums
    """Pages that have a container at each cell."""

    def learn_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts with those of a page, or of other pages, added."""
        sums = {name: getattr(self, name).plus(getattr(page, name)) for name in _SUMS}
        return PlaceCounts(pages=self.pages + page.pages, **sums)

    def forget_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts as they were before a page, or other pages, had been learned."""
        sums = {name: getattr(self, name).minus(getattr(page, name)) for name in _SUMS}
        return PlaceCounts(pages=self.pages - page.pages, **sums)


_SUMS = ("runs", "paths", "texts", "shapes", "containers")


def count_pages(pages: Sequence[tuple[PagePlaces, Floats]]) -> PlaceCounts:
    """Return what some pages add to the counts of their site; their order does not matter.

    Args:
        pages: Of each page where its segments stand, and the log-odds for content of each segment by
            the page model.
    """
    if not pages:
        return NO_PAGES
    places = [page for page, _ in pages]
    cell = np.concatenate([one.cell for one in places])
    path = np.concatenate([one.path for one in places])
    anchor = np.concatenate([one.anchor for one in places])
    text = np.concatenate([one.text for one in places])
    words = np.concatenate([one.words for one in places])
    mass = content_mass(np.concatenate([log_odds for _, log_odds in pages]), words)
    return PlaceCounts(
        pages=len(pages),
        runs=sum_by_key(
            run_keys(cell, text),
            np.stack([words.astype(np.int64), mass, np.ones(len(mass), np.int64)]),
            np.stack([cell, path, anchor, text]),
        ),
        paths=count_columns([one.path for one in places]),
        texts=count_columns([one.text for one in places]),
        shapes=count_columns([one.shape for one in places]),
        containers=count_columns([one.containers for one in places]),
    )


def content_mass(content_log_odds: Floats, words: Int32s) -> Int64s:
    """Return the content mass of each segment in units of 1 / MASS_UNIT; length n_segments.

    >>> import numpy as np
    >>> content_mass(np.array([0.0, 9.0]), np.array([10, 10], np.int32)).tolist()
    [5000, 9999]
    """
    mass: Int64s = np.rint(float(MASS_UNIT) * words / (1 + np.exp(-content_log_odds))).astype(
        np.int64
    )
    return mass


def run_keys(places: UInt64s, texts: UInt64s) -> UInt64s:
    """Return one key for each pair of a place and a text."""
    return mix(places * FACTOR + texts)


NO_PAGES = PlaceCounts(
    pages=0,
    runs=no_sums(3, 4),
    paths=no_sums(1, 0),
    texts=no_sums(1, 0),
    shapes=no_sums(1, 0),
    containers=no_sums(1, 0),
)
"""The counts of an empty window."""
