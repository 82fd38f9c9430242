"""What is known about the places of a site, as its cleaner looks it up."""

import msgspec
import numpy as np

from templ_core.distinct import distinct_groups
from templ_core.site_level.places._place_log_odds import constant_texts
from templ_core.site_level.places.counts import Counts, count
from templ_core.site_level.places.place_counts import MASS_UNIT, PlaceCounts, run_keys

UNKNOWN_CONSTANCY = 0.3
"""Of a place on fewer than two pages."""
TEMPLATE_MASS = MASS_UNIT // 50
"""A constant text counts as content with probability 0.02."""
_TEXT_PAGES_MIN = 2
"""A text that one page has says nothing about another."""
_NO_KEYS = np.empty(0, np.uint64)


class PlaceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over a window of pages."""

    pages: int
    paths: Counts
    """Of each path: pages that have it, words, words of different texts."""
    cells: Counts
    """Of each cell: words, content mass once constant text is set to template."""
    anchors: Counts
    """Of each anchor: the same."""
    texts: Counts
    """Pages that have each text."""
    shapes: Counts
    """Pages that have each text, words with digits alike."""
    content_boxes: Counts
    """Pages whose content box stands at each cell (see `containers`)."""
    best_boxes: Counts
    """Pages whose best box does; pages that have a box there."""


def tabulate(counts: PlaceCounts) -> PlaceTable:
    """The table of a window, without its containers."""
    cell, path, anchor, text = counts.runs.labels
    words, mass, times = counts.runs.sums
    first = distinct_groups(run_keys(path, text))[0]
    different = np.zeros(len(words), np.int64)
    different[first] = (words // np.maximum(times, 1))[first]
    by_path = count(path, np.stack([words, different]))
    paths = Counts(
        keys=by_path.keys,
        sums=np.concatenate([counts.paths.of(by_path.keys), by_path.sums]),
        labels=by_path.labels,
    )
    text_pages = counts.texts.of(text)[0]
    each = words // np.maximum(times, 1)
    fixed = constant_texts(paths.of(path), text_pages, each, UNKNOWN_CONSTANCY)
    sums = np.stack([words, np.where(fixed, TEMPLATE_MASS * words, mass)])
    return PlaceTable(
        pages=counts.pages,
        paths=paths,
        cells=count(cell, sums),
        anchors=count(anchor, sums),
        texts=counts.texts.where(counts.texts.sums[0] >= _TEXT_PAGES_MIN),
        shapes=counts.shapes.where(counts.shapes.sums[0] >= _TEXT_PAGES_MIN),
        content_boxes=count(_NO_KEYS, np.empty((1, 0), np.int64)),
        best_boxes=count(_NO_KEYS, np.empty((2, 0), np.int64)),
    )
