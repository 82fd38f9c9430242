"""A page as the cleaner receives it, from whatever feed."""

import msgspec

from schemas.cleaned import Warning_
from schemas.dead_letter import DeadLetter
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
    """RFC 3339 time of the fetch in UTC; None when the feed gave none that can be read."""
    content_type: str | None = None
    charset: str | None = None
    """Charset declared outside the page, by its record or its content type."""
    content_encoding: str | None = None
    status: int = 200
    body: bytes | None
    """The bytes as fetched; None means that the page no longer exists."""
    headers: tuple[tuple[str, bytes | None], ...] = ()
    """Headers of the page message that are not templ's, which are passed on with every output."""
    warnings: tuple[Warning_, ...] = ()
    """What a reader of the page's record should know about its message."""

    @property
    def is_deletion(self) -> bool:
        """Whether the page no longer exists: it has no bytes, or its status is 404 or 410."""
        return self.body is None or self.status in GONE_STATUSES


class Rejected(msgspec.Struct, frozen=True):
    """A record of a feed that is not a page, and becomes a dead letter."""

    source: Source
    url: str | None
    exception: str
    """Name of the problem."""
    message: str
    value: bytes
    """The unchanged bytes of the record."""

    @property
    def letter(self) -> DeadLetter:
        """The dead letter that the record becomes."""
        return DeadLetter(exception=self.exception, message=self.message, stage="receive")
