"""How sure a place makes it that what stands there is content: the same in learning and in cleaning."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.site_level.place_counts import content_mass
from templ_core.site_level.place_table import (
    PlaceTable,
    Standing,
    corrected_mass,
    is_constant,
    pooled,
    standing,
)
from templ_core.site_level.places import PagePlaces

Floats = npt.NDArray[np.float64]

_SURE = 0.005
"""Probabilities of places are kept this far from 0 and 1."""


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    known: Standing
    constant: npt.NDArray[np.bool_]
    """Segments that are constant text at a constant place."""
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
    known = standing(table, page.path, page.text, page.shape)
    words = page.words.astype(np.int64)
    constant = is_constant(known.path_pages, known.constancy, known.text_pages, words)
    mass = corrected_mass(content_mass(content_odds, page.words), words, constant)
    of_cell = pooled(table.cells, page.cell, words, mass)
    of_anchor = pooled(table.anchors, page.anchor, words, mass)
    return PlaceReading(
        known=known,
        constant=constant,
        odds=(clipped_odds(of_cell, _SURE) + clipped_odds(of_anchor, _SURE)) / 2,
    )


def clipped_odds(probability: Floats, margin: float) -> Floats:
    """Log-odds of probabilities kept away from 0 and 1."""
    inner = np.clip(probability, margin, 1 - margin)
    odds: Floats = np.log(inner / (1 - inner))
    return odds
