"""How likely text is content where it stands; the cleaner and the learner read it alike."""

import msgspec

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.site_level.config import PLACES_CONFIG, PlacesConfig
from templ_core.site_level.places._place_log_odds import read_columns
from templ_core.site_level.places.place_counts import MASS_UNIT
from templ_core.site_level.places.place_table import PlaceTable
from templ_core.site_level.places.places import PagePlaces


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    are_known: bool
    """Whether the window has all the paths."""
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
    return PlaceReading(**read_columns(table, page, content_log_odds, MASS_UNIT, config))
