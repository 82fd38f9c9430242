"""The page copy, which says that another site published the content of a page first."""

from typing import Literal

import msgspec

from schemas.source import Source


class PageCopyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose content another site published before.

    On Kafka the key is the URL, and a null value means that the page is gone, or is no copy any more. A record may be
    delivered again.
    """

    schema: Literal["page-copy/1"] = "page-copy/1"
    url: str
    site: str
    """Site key; pages with the same key are treated as sharing templates."""
    fetched_at: str | None
    """Time of the fetch, an RFC 3339 time in UTC; null where it is not known."""
    source: Source
    """Where the fetch came from, as in its cleaned record."""
    duplicate_of: str
    """URL of the page that published the content first."""
    duplicate_of_site: str
    """Site key of that page."""
