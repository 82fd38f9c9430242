"""How likely text is content where it stands; the cleaner and the learner read it alike."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.site_level.config import PLACES_CONFIG, PlacesConfig
from templ_core.site_level.places._place_log_odds import constant_texts, pooled_log_odds
from templ_core.site_level.places.place_counts import MASS_UNIT, content_mass
from templ_core.site_level.places.place_table import PlaceTable
from templ_core.site_level.places.places import PagePlaces


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    path_pages: Int64s
    """Pages that have the path."""
    constant: Bools
    """Whether the text is constant at its path, and so template however it reads: nearly the same on
    all pages, or one of a few in rotation, such as notes on authors."""
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


def read_places(
    table: PlaceTable,
    page: PagePlaces,
    content_log_odds: Floats,
    config: PlacesConfig = PLACES_CONFIG,
) -> PlaceReading:
    """Return what a window says about the places of a page.

    Constant text counts as template before the segments of one place are pooled.

    Args:
        table: What is known about the places of the site.
        page: Where the segments of the page stand.
        content_log_odds: Log-odds for content of each segment, by the page model.
        config: The tunable numbers.
    """
    paths, text_pages = table.paths.of(page.path), table.texts.of(page.text)[0]
    constant = constant_texts(paths, text_pages, page.words, config)
    mass = np.where(constant, 0, content_mass(content_log_odds, page.words))
    of_cell, of_anchor = (
        pooled_log_odds(
            known.of(keys), keys, page.words, mass, MASS_UNIT, config.probability_margin
        )
        for known, keys in ((table.cells, page.cell), (table.anchors, page.anchor))
    )
    log_odds = (of_cell + of_anchor) / 2
    pages, words, different_words = paths
    again = (1 - different_words / np.maximum(words, 1)) * pages / np.maximum(pages - 1, 1)
    is_known = (pages > 1) & (words > 0)
    return PlaceReading(
        path_pages=pages,
        constant=constant,
        text_pages=text_pages,
        shape_pages=table.shapes.of(page.shape)[0],
        recurrence=is_known * np.minimum(again, 1) * pages / max(table.pages, 1),
        mass=mass,
        log_odds=log_odds,
        content=1 / (1 + np.exp(-log_odds)),
    )
