"""What is known about the places of a site, and what it says about a page; the cleaner and the learner read it alike."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.site_level.config import PLACES_CONFIG
from templ_core.site_level.places._places import constant_texts, read_columns
from templ_core.site_level.places.keyed_sums import KeyedSums, no_sums, sum_by_key
from templ_core.site_level.places.place_counts import MASS_UNIT, PlaceCounts, run_keys
from templ_core.site_level.places.places import PagePlaces


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


def tabulate(counts: PlaceCounts) -> PlaceTable:
    """Return the table of a window, still without containers."""
    cell, path, anchor, text = counts.runs.labels
    words, mass, times = counts.runs.sums
    words_each = words // np.maximum(times, 1)
    _, first = np.unique(run_keys(path, text), return_index=True)
    different = np.zeros(len(words), np.int64)
    different[first] = words_each[first]
    by_path = sum_by_key(path, np.stack([words, different]))
    paths = KeyedSums(
        keys=by_path.keys,
        sums=np.concatenate([counts.paths.of(by_path.keys), by_path.sums]),
        labels=by_path.labels,
    )
    text_pages = counts.texts.of(text)[0]
    each = words_each.astype(np.int32)
    constant = constant_texts(paths.of(path), text_pages, each, PLACES_CONFIG)
    sums = np.stack([words, np.where(constant, 0, mass)])
    return PlaceTable(
        pages=counts.pages,
        paths=paths,
        cells=sum_by_key(cell, sums),
        anchors=sum_by_key(anchor, sums),
        texts=counts.texts.where(counts.texts.sums[0] > 1),
        shapes=counts.shapes.where(counts.shapes.sums[0] > 1),
        best_containers=no_sums(2, 0),
    )


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    are_known: bool
    """Whether the window has all the paths."""
    path_pages: Int64s
    """Pages that have the path."""
    constant: Bools
    """Whether the text is constant at its path, and so template however it reads: the only one
    there, or one of a few in rotation, such as notes on authors."""
    text_pages: Int64s
    """Pages that have the text; 0 if fewer than two do."""
    shape_pages: Int64s
    """Pages that have the text when all words with digits count as equal; 0 if fewer than two do."""
    recurrence: Floats
    """Share of the window's pages that have the path, times how far its texts are those of other pages: 1
    where all pages have the same there, 0 where each has others."""
    mass: Int64s
    """Content mass in units of 1 / MASS_UNIT, with constant text counted as template."""
    log_odds: Floats
    """Log-odds for content: the mean of cell and anchor, each pooled over the window and the page."""
    content: Floats
    """Probability of content that belongs to `log_odds`, 0 to 1."""


def read_places(table: PlaceTable, page: PagePlaces, content_log_odds: Floats) -> PlaceReading:
    """Return what a window says about the places of a page.

    Constant text counts as template before the segments of one place are pooled.
    """
    return PlaceReading(**read_columns(table, page, content_log_odds, MASS_UNIT, PLACES_CONFIG))
