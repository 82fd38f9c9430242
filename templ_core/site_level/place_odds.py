"""How sure a place makes it that what stands there is content: the same in learning and in cleaning."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.page_level.characters import UInt64s
from templ_core.site_level import _place_odds
from templ_core.site_level.counts import Counts, Ints
from templ_core.site_level.place_counts import MASS_UNIT, content_mass
from templ_core.site_level.place_table import PlaceTable, Standing, corrected_mass, standing
from templ_core.site_level.places import PagePlaces

Floats = npt.NDArray[np.float64]

_SURE = 0.005
"""Probabilities of places are kept this far from 0 and 1."""


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    known: Standing
    odds: Floats
    """Log-odds for content: the mean over a segment's cell and its anchor."""


def read_places(table: PlaceTable, page: PagePlaces, content_odds: Floats) -> PlaceReading:
    """What a window says about the places of a page.

    Constant text counts as template before places are pooled.

    Args:
        table: What is known about the site.
        page: Where the segments stand.
        content_odds: Log-odds for content of each segment, by the page model.
    """
    words = page.words.astype(np.int64)
    known = standing(table, page.path, page.text, page.shape, words)
    mass = corrected_mass(content_mass(content_odds, page.words), words, known.constant)
    of_cell = pooled_odds(table.cells, page.cell, words, mass, _SURE)
    of_anchor = pooled_odds(table.anchors, page.anchor, words, mass, _SURE)
    return PlaceReading(known=known, odds=(of_cell + of_anchor) / 2)


def pooled_odds(places: Counts, keys: UInt64s, words: Ints, mass: Ints, margin: float) -> Floats:
    """Log-odds for content of each segment's place, over the window and the page.

    Args:
        places: Words and content mass of places in the window.
        keys: Place of each segment.
        words: Words of each segment, at least 1.
        mass: Content mass of each segment, constant text set to template.
        margin: Probabilities are kept this far from 0 and 1.
    """
    return _place_odds.pooled_odds(places.keys, places.sums, keys, words, mass, MASS_UNIT, margin)


def clipped_odds(probability: Floats, margin: float) -> Floats:
    """Log-odds of probabilities kept away from 0 and 1."""
    inner = np.clip(probability, margin, 1 - margin)
    odds: Floats = np.log(inner / (1 - inner))
    return odds
