"""What is known about the places of a site, in the form in which the cleaner looks it up."""

import msgspec
import numpy as np

from templ_core.distinct import distinct_groups
from templ_core.site_level.config import PLACES_CONFIG, PlacesConfig
from templ_core.site_level.places._place_log_odds import constant_texts
from templ_core.site_level.places.keyed_sums import KeyedSums, sum_by_key
from templ_core.site_level.places.place_counts import PlaceCounts, run_keys

_NO_KEYS = np.empty(0, np.uint64)


class PlaceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over a window of pages."""

    pages: int
    """Pages of the window."""
    paths: KeyedSums
    """Pages, words, and words of different texts, for each path."""
    cells: KeyedSums
    """Words, and content mass with constant text counted as template, for each cell."""
    anchors: KeyedSums
    """Words, and content mass with constant text counted as template, for each anchor."""
    texts: KeyedSums
    """Pages that have each text; texts of one page, which tell nothing about another page, are left out."""
    shapes: KeyedSums
    """Pages that have each shape of a text, left out likewise."""
    best_containers: KeyedSums
    """Pages whose best container stands at each cell, and pages that have a container there."""


def tabulate(counts: PlaceCounts, config: PlacesConfig = PLACES_CONFIG) -> PlaceTable:
    """Return the table of a window, still without containers."""
    cell, path, anchor, text = counts.runs.labels
    words, mass, times = counts.runs.sums
    words_each = words // np.maximum(times, 1)
    first = distinct_groups(run_keys(path, text))[0]
    different = np.zeros(len(words), np.int64)
    different[first] = words_each[first]
    by_path = sum_by_key(path, np.stack([words, different]))
    paths = KeyedSums(
        keys=by_path.keys,
        sums=np.concatenate([counts.paths.of(by_path.keys), by_path.sums]),
        labels=by_path.labels,
    )
    text_pages = counts.texts.of(text)[0]
    constant = constant_texts(paths.of(path), text_pages, words_each.astype(np.int32), config)
    sums = np.stack([words, np.where(constant, 0, mass)])
    return PlaceTable(
        pages=counts.pages,
        paths=paths,
        cells=sum_by_key(cell, sums),
        anchors=sum_by_key(anchor, sums),
        texts=counts.texts.where(counts.texts.sums[0] > 1),
        shapes=counts.shapes.where(counts.shapes.sums[0] > 1),
        best_containers=sum_by_key(_NO_KEYS, np.empty((2, 0), np.int64)),
    )
