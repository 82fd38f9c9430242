"""How likely text is content where it stands; the cleaner and the learner read it alike."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.site_level.config import PLACES, PlacesConfig
from templ_core.site_level.places._place_log_odds import constant_texts, pooled_log_odds
from templ_core.site_level.places.place_counts import MASS_UNIT, content_mass
from templ_core.site_level.places.place_table import PlaceTable, constant_mass
from templ_core.site_level.places.places import PagePlaces


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    path_pages: Int64s
    """Pages that have the path."""
    constancy: Floats
    """Words per page over words of different texts at the path: 1 = always the same text,
    1 / path_pages = never the same."""
    constant: Bools
    """Whether the text is constant at its path, and so template however it reads: nearly the same on
    all pages, or one of a few in rotation, such as notes on authors."""
    text_pages: Int64s
    """Pages that have the text; 0 if fewer than two do."""
    shape_pages: Int64s
    """Pages that have the text when all words with digits count as equal; 0 if fewer than two do."""
    log_odds: Floats
    """Log-odds for content: the mean of cell and anchor, each pooled over the window and the page."""
    content: Floats
    """Probability of content that belongs to `log_odds`, 0 to 1."""


def read_places(
    table: PlaceTable, page: PagePlaces, content_log_odds: Floats, config: PlacesConfig = PLACES
) -> PlaceReading:
    """Return what a window says about the places of a page.

    Constant text counts as template before the segments of one place are pooled.

    Args:
        table: What is known about the places of the site.
        page: Where the segments of the page stand.
        content_log_odds: Log-odds for content of each segment, by the page model.
        config: The tunable numbers.
    """
    path_sums = table.paths.of(page.path)
    text_pages = table.texts.of(page.text)[0]
    constancy, constant = constant_texts(path_sums, text_pages, page.words, config)
    mass = np.where(
        constant, constant_mass(config) * page.words, content_mass(content_log_odds, page.words)
    )
    of_cell, of_anchor = (
        pooled_log_odds(
            known.of(keys), keys, page.words, mass, MASS_UNIT, config.probability_margin
        )
        for known, keys in ((table.cells, page.cell), (table.anchors, page.anchor))
    )
    log_odds = (of_cell + of_anchor) / 2
    return PlaceReading(
        path_pages=path_sums[0],
        constancy=constancy,
        constant=constant,
        text_pages=text_pages,
        shape_pages=table.shapes.of(page.shape)[0],
        log_odds=log_odds,
        content=1 / (1 + np.exp(-log_odds)),
    )
