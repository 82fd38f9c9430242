"""A page on its way into the cleaner, whatever feed it came from."""

import msgspec

from schemas.source import Source

GONE_STATUSES = frozenset([404, 410])


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One fetched page, its metadata read and its bytes untouched."""

    source: Source
    url: str
    site: str
    """Site key, computed from the URL unless the feed said one."""
    id: str
    event_time_ms: int
    """When it was fetched; Unix milliseconds."""
    fetched_at: str | None
    """As the feed said it; None when it said nothing."""
    content_type: str | None = None
    charset: str | None = None
    """Declared outside the page: by its record or its content type."""
    content_encoding: str | None = None
    status: int = 200
    body: bytes | None
    """As fetched; None = the page is gone."""

    @property
    def is_deletion(self) -> bool:
        """Whether the page is gone: no value, or status 404 or 410."""
        return self.body is None or self.status in GONE_STATUSES


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a feed that is not a page; it becomes a dead letter."""

    source: Source
    url: str | None
    exception: str
    message: str
    value: bytes
    """The record's own bytes."""
