"""How sure a place makes it that what stands there is content: the same in learning and in cleaning."""

import msgspec

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.site_level.places import _place_log_odds
from templ_core.site_level.places.place_counts import MASS_UNIT
from templ_core.site_level.places.place_table import TEMPLATE_MASS, UNKNOWN_CONSTANCY, PlaceTable
from templ_core.site_level.places.places import PagePlaces

_SURE = 0.005
"""Probabilities of places are kept this far from 0 and 1."""


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    path_pages: Int64s
    """Pages that have the path."""
    constancy: Floats
    """Words per page over words of different texts at the path: 1 = always the same text,
    1 / path_pages = never the same."""
    constant: Bools
    """Constant text at a constant place, template however it reads: nearly the same text everywhere,
    or a few texts in rotation (notes on the author)."""
    text_pages: Int64s
    """Pages that have the text; 0 = fewer than two."""
    shape_pages: Int64s
    """Pages that have the text, words with digits alike; 0 = fewer than two."""
    log_odds: Floats
    """Log-odds for content: the mean over cell and anchor, each pooled over the window and the page."""
    content: Floats
    """The same as a probability."""


def read_places(table: PlaceTable, page: PagePlaces, content_log_odds: Floats) -> PlaceReading:
    """What a window says about the places of a page.

    Constant text counts as template before places are pooled.

    Args:
        table: What is known about the site.
        page: Where the segments stand.
        content_log_odds: Log-odds for content of each segment, by the page model.
    """
    path_pages, constancy, constant, text_pages, shape_pages, log_odds, content = (
        _place_log_odds.read_places(
            (table.paths.keys, table.paths.sums),
            (table.texts.keys, table.texts.sums),
            (table.shapes.keys, table.shapes.sums),
            (table.cells.keys, table.cells.sums),
            (table.anchors.keys, table.anchors.sums),
            page.path,
            page.text,
            page.shape,
            page.cell,
            page.anchor,
            page.words,
            content_log_odds,
            MASS_UNIT,
            TEMPLATE_MASS,
            UNKNOWN_CONSTANCY,
            _SURE,
        )
    )
    return PlaceReading(
        path_pages=path_pages,
        constancy=constancy,
        constant=constant,
        text_pages=text_pages,
        shape_pages=shape_pages,
        log_odds=log_odds,
        content=content,
    )
