"""The page change, which says what is different on a page since its fetch before."""

from typing import Literal

import msgspec

from schemas.source import Source
from templ_core.page_changes import PageChanges


class PageChangeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed between two fetches of a page; a fetch without a change has no record.

    On Kafka the key is the URL, and a null value means that the site of the page was taken down. A record may be
    delivered again.
    """

    schema: Literal["page-change/1"] = "page-change/1"
    url: str
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    fetched_at: str | None
    """Time of the later fetch, an RFC 3339 time in UTC; null where it is not known."""
    source: Source
    """Where the later fetch came from, as in its cleaned record."""
    changes: PageChanges
