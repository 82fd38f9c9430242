"""The tunable numbers of the watch over a site."""

import msgspec


class WatchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_events.watch`."""

    text_ratio_min: float = 0.1
    """Share of the words of a site's usual page, 0 to 1, below which a page has no text."""

    repeated_ratio_min: float = 0.5
    """Share of a page's published words that other pages have, 0 to 1, from which on its text is repeated."""

    usual_pages: int = 25
    """Pages over which the usual number of words is averaged, and after which a site's rhythm is known."""

    known_ratio_max: float = 0.5
    """Share of the anchors of later pages, 0 to 1, that the pages of a design that has gone may have: listings that
    follow articles of the same design have 0.57 to 0.93 of them, pages of another design hardly any."""

    silent_gaps: float = 4.0
    """How many times as long as the longest gap between pages a site must be silent before that is told."""

    silent_ms: int = 2 * 24 * 3600 * 1000
    """Shortest silence that is told, in milliseconds: many sites rest at weekends."""

    gap_decay: float = 0.99
    """What the longest gap is multiplied with at each page, 0 to 1."""


WATCH = WatchConfig()
