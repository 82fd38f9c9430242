"""What is known about the places of a site, as its cleaner looks it up."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.distinct import distinct_groups
from templ_core.page_level.characters import UInt64s
from templ_core.site_level._place_odds import read_constancy
from templ_core.site_level.counts import Counts, Ints, count
from templ_core.site_level.place_counts import MASS_UNIT, PlaceCounts, run_keys

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

UNKNOWN_CONSTANCY = 0.3
"""Of a place on fewer than two pages."""
_TEMPLATE_MASS = MASS_UNIT // 50
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


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the window says about segments by their paths and texts; columns of n_segments."""

    path_pages: Ints
    constancy: Floats
    """Words per page over words of different texts at the same path: 1 = always the same text,
    1 / path_pages = never the same."""
    constant: Bools
    """Constant text at a constant place, template however it reads: nearly the same text everywhere,
    or a few texts in rotation (notes on the author)."""
    text_pages: Ints
    shape_pages: Ints


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
    _, fixed = read_constancy(
        paths.of(path), text_pages, words // np.maximum(times, 1), UNKNOWN_CONSTANCY
    )
    sums = np.stack([words, np.where(fixed, _TEMPLATE_MASS * words, mass)])
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


def standing(
    table: PlaceTable, path: UInt64s, text: UInt64s, shape: UInt64s, words: Ints
) -> Standing:
    """What the window says about segments, from their keys and words."""
    paths, text_pages = table.paths.of(path), table.texts.of(text)[0]
    constancy, constant = read_constancy(paths, text_pages, words, UNKNOWN_CONSTANCY)
    return Standing(
        path_pages=paths[0],
        constancy=constancy,
        constant=constant,
        text_pages=text_pages,
        shape_pages=table.shapes.of(shape)[0],
    )


def corrected_mass(mass: Ints, words: Ints, constant: Bools) -> Ints:
    """Content mass with constant text set to template."""
    return np.where(constant, _TEMPLATE_MASS * words, mass)
