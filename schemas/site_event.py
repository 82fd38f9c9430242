"""The site event: a change of a site as a whole."""

from typing import Literal

import msgspec

from templ_core.site_events import EventKind


class SiteEventRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a site: one record for a change, not one for each page.

    On Kafka the key is the site key. A record may be delivered again.
    """

    schema: Literal["site-event/1"] = "site-event/1"
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    event: EventKind
    """What has changed; README.md describes each."""
    time: str
    """Fetch time of the page that showed it, an RFC 3339 time in UTC; `design-changed` has that of the first page."""
    last_url: str | None = None
    """The last page before the change."""
    first_url: str | None = None
    """The first page after it; null for `feed-silent`."""
    before: str | None = None
    """What the site's pages had before; null where that has no name."""
    after: str | None = None
    """What they have since."""
