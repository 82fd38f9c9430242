"""What the pages of a window add up to, place by place and text by text: exact counts."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.places.keyed_sums import (
    KeyedSums,
    add_all,
    count_once,
    no_sums,
    sum_by_key,
)
from templ_core.site_level.places.places import PagePlaces

MASS_UNIT = 1000
"""Content mass of a word that is surely content: mass is probability times words, in thousandths."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class PlaceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over pages; what a single page adds is a value of this type too."""

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

    def learn_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts with those of a page, or of other pages, added."""
        return PlaceCounts(
            pages=self.pages + page.pages,
            runs=self.runs.plus(page.runs),
            paths=self.paths.plus(page.paths),
            texts=self.texts.plus(page.texts),
            shapes=self.shapes.plus(page.shapes),
        )

    def forget_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts as they were before a page, or other pages, had been learned."""
        return PlaceCounts(
            pages=self.pages - page.pages,
            runs=self.runs.minus(page.runs),
            paths=self.paths.minus(page.paths),
            texts=self.texts.minus(page.texts),
            shapes=self.shapes.minus(page.shapes),
        )


def count_page(page: PagePlaces, content_log_odds: Floats) -> PlaceCounts:
    """Return what one page adds to the counts of its site.

    Args:
        page: Where the segments of the page stand.
        content_log_odds: Log-odds for content of each segment, by the page model.
    """
    mass = content_mass(content_log_odds, page.words)
    runs = sum_by_key(
        run_keys(page.cell, page.text),
        np.stack([page.words.astype(np.int64), mass, np.ones(len(mass), np.int64)]),
        np.stack([page.cell, page.path, page.anchor, page.text]),
    )
    return PlaceCounts(
        pages=1,
        runs=runs,
        paths=count_once(page.path),
        texts=count_once(page.text),
        shapes=count_once(page.shape),
    )


def count_pages(pages: Sequence[PlaceCounts]) -> PlaceCounts:
    """Return the counts of a window; the order of its pages does not matter."""
    everything = [NO_PAGES, *pages]
    return PlaceCounts(
        pages=sum(page.pages for page in pages),
        runs=add_all([one.runs for one in everything]),
        paths=add_all([one.paths for one in everything]),
        texts=add_all([one.texts for one in everything]),
        shapes=add_all([one.shapes for one in everything]),
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
    return mix(places * _FACTOR + texts)


NO_PAGES = PlaceCounts(
    pages=0,
    runs=no_sums(3, 4),
    paths=no_sums(1, 0),
    texts=no_sums(1, 0),
    shapes=no_sums(1, 0),
)
"""The counts of an empty window."""
