"""What the pages of a window add up to, place by place and text by text: counts, and nothing else."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.features.characters import (
    mix,
)
from templ_core.site_level.places.counts import (
    Counts,
    count,
    occurrences,
    total,
)
from templ_core.site_level.places.places import PagePlaces

MASS_UNIT = 1000
"""Content mass (probability times words) is counted in thousandths of a word."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class PlaceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over pages; what a page adds is itself a value of this element_type."""

    pages: int
    runs: Counts
    """By cell and text: words, content mass, occurrences; labels cell, path, anchor, text."""
    paths: Counts
    """Pages that have each path."""
    texts: Counts
    """Pages that have each text: node frequency (Chakrabarti et al., section 4.1)."""
    shapes: Counts
    """Pages that have each text, words with digits alike."""

    def learn_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """The counts with one page more, or with the pages of another window."""
        return PlaceCounts(
            pages=self.pages + page.pages,
            runs=self.runs.plus(page.runs),
            paths=self.paths.plus(page.paths),
            texts=self.texts.plus(page.texts),
            shapes=self.shapes.plus(page.shapes),
        )

    def forget_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """The counts as they were before a page was learned."""
        return PlaceCounts(
            pages=self.pages - page.pages,
            runs=self.runs.minus(page.runs),
            paths=self.paths.minus(page.paths),
            texts=self.texts.minus(page.texts),
            shapes=self.shapes.minus(page.shapes),
        )


def count_page(page: PagePlaces, content_log_odds: Floats) -> PlaceCounts:
    """What one page adds.

    Args:
        page: Where its segments stand.
        content_log_odds: Log-odds for content of each, by the page model.
    """
    mass = content_mass(content_log_odds, page.words)
    runs = count(
        run_keys(page.cell, page.text),
        np.stack([page.words.astype(np.int64), mass, np.ones(len(mass), np.int64)]),
        np.stack([page.cell, page.path, page.anchor, page.text]),
    )
    return PlaceCounts(
        pages=1,
        runs=runs,
        paths=_once(page.path),
        texts=_once(page.text),
        shapes=_once(page.shape),
    )


def count_pages(pages: Sequence[PlaceCounts]) -> PlaceCounts:
    """The counts of a window, whatever the order of its pages."""
    everything = [NO_PAGES, *pages]
    return PlaceCounts(
        pages=sum(page.pages for page in pages),
        runs=total([one.runs for one in everything]),
        paths=total([one.paths for one in everything]),
        texts=total([one.texts for one in everything]),
        shapes=total([one.shapes for one in everything]),
    )


def content_mass(content_log_odds: Floats, words: Int32s) -> Int64s:
    """Content mass of segments in units of MASS_UNIT; length n_segments."""
    mass: Int64s = np.rint(MASS_UNIT * words / (1 + np.exp(-content_log_odds))).astype(np.int64)
    return mass


def run_keys(places: UInt64s, texts: UInt64s) -> UInt64s:
    """One key for each place and text together."""
    return mix(places * _FACTOR + texts)


def _once(keys: UInt64s) -> Counts:
    found = occurrences(keys)
    return Counts(keys=found.keys, sums=np.ones_like(found.sums), labels=found.labels)


def _nothing(sums: int, labels: int) -> Counts:
    keys = np.empty(0, np.uint64)
    return Counts(
        keys=keys, sums=np.empty((sums, 0), np.int64), labels=np.empty((labels, 0), np.uint64)
    )


NO_PAGES = PlaceCounts(
    pages=0,
    runs=_nothing(3, 4),
    paths=_nothing(1, 0),
    texts=_nothing(1, 0),
    shapes=_nothing(1, 0),
)
