"""A page as its metadata is read from it: what its markup states, where its texts stand, and what is known of its site."""

import functools

from templ_core.array_types import Bools
from templ_core.dom.addresses import host_and_path
from templ_core.dom.document import Document
from templ_core.metadata._json_ld import first_short
from templ_core.metadata._page_parts import PageParts, heading_at
from templ_core.metadata._scans import letters_of
from templ_core.metadata.dates import DayOrder, day_behind, day_order
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.placed import SitePlaces, placed_texts
from templ_core.metadata.shown_times import ShownTime, shown_times

NAME_CHARS_MAX = 200


class PageView:
    """What metadata is read from; what few pages need is looked for when it is asked for.

    Args:
        document: The page.
        url: Its address.
        markup: What its markup states.
        places: Its places and those of its site; None = nothing is known of the site.
        kept: Whether each segment is content by the decision of the page; None = not known.
        fetched_at: When it was fetched (RFC 3339); empty = not known.
    """

    def __init__(
        self,
        document: Document,
        url: str,
        markup: PageMarkup,
        places: SitePlaces | None,
        kept: Bools | None,
        fetched_at: str,
    ) -> None:
        self.document, self.url, self.markup, self.places = document, url, markup, places
        self.fetched_at, self._kept = fetched_at, kept
        self.texts = document.segments.texts
        self.stated, self.meta = markup.json_ld.stated, markup.claims.meta
        self.properties = markup.claims.properties
        self.host, self.path = host_and_path(url)
        self.latest_day = day_behind(fetched_at[:10]) if fetched_at else None
        """The last day that may be one of publication; None = not known."""
        publishers, sites = self.stated.get("publisher", []), markup.json_ld.site_names()
        stated = (self.meta.get("site_name", ()), publishers, sites, self.meta.get("site", ()))
        self.site_name = first_short(stated, NAME_CHARS_MAX)
        host = self.host.removeprefix("www.")
        self.site_names = [host.rpartition(".")[0], host]
        """Names of the site, and its host."""
        if self.site_name:
            self.site_names.append(self.site_name)
        owners = [*self.site_names, *publishers, *sites]
        self.owners = frozenset(filter(None, map(letters_of, owners)))
        """Letters of the names of the site, and of who publishes it."""
        self.headline: str | None = None
        self.language = ""

    @functools.cached_property
    def parts(self) -> PageParts:
        """The parts of the page."""
        heading = heading_at(self.document, self.headline) if self.headline else None
        return PageParts(self.document, heading, self._kept, self.placed if self.places else ())

    @functools.cached_property
    def placed(self) -> frozenset[int]:
        """Segments that stand once on each page of the site."""
        return frozenset(placed_texts(self.document, self.places) if self.places else ())

    @functools.cached_property
    def day_order(self) -> DayOrder:
        """What comes first in the days of figures that the page shows."""
        return day_order(self.texts, self.language, self.host, self.path)

    @functools.cached_property
    def times(self) -> list[ShownTime]:
        """The `time` elements that may be about the page, the nearest to the headline first."""
        times = self.markup.claims.times
        return shown_times(self.document, times, self.parts) if times else []
