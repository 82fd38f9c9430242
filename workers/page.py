"""A page as the cleaner receives it, from whatever feed."""

import msgspec

from schemas.source import Source

GONE_STATUSES = frozenset([404, 410])
"""HTTP statuses of pages that no longer exist."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A fetched page with its metadata and its unchanged bytes."""

    source: Source
    url: str
    site: str
    """Site key, from the feed or else computed from the URL."""
    id: str
    event_time_ms: int
    """Time of the fetch in Unix milliseconds."""
    fetched_at: str | None
    """Time of the fetch as the feed gave it; None when it gave none."""
    content_type: str | None = None
    charset: str | None = None
    """Charset declared outside the page, by its record or its content type."""
    content_encoding: str | None = None
    status: int = 200
    body: bytes | None
    """The bytes as fetched; None means that the page no longer exists."""

    @property
    def is_deletion(self) -> bool:
        """Whether the page no longer exists: it has no bytes, or its status is 404 or 410."""
        return self.body is None or self.status in GONE_STATUSES


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a feed that is not a page, and becomes a dead letter."""

    source: Source
    url: str | None
    exception: str
    """Name of the problem."""
    message: str
    value: bytes
    """The unchanged bytes of the record."""
