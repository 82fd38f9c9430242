"""What a change of a site as a whole is, and what of a page is looked at to notice one."""

from typing import Literal, TypeAlias

import msgspec

EventKind: TypeAlias = Literal[
    "design-changed",
    "content-gone",
    "repeated-text-rising",
    "language-changed",
    "charset-changed",
    "content-copied",
    "feed-silent",
    "site-back",
]
"""What has changed on a site."""


class NoticedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a site as a whole."""

    kind: EventKind
    time_ms: int
    """Event time of the page that showed it, or of the first page with a new design, in Unix milliseconds."""
    last_url: str | None = None
    """The last page before the change."""
    first_url: str | None = None
    """The first page after it."""
    before: str | None = None
    """The value that has gone, such as a language."""
    after: str | None = None
    """The value that has taken its place."""


class PageFacts(msgspec.Struct, frozen=True, array_like=True):
    """What the watch over a site reads of a page."""

    words: int
    """Words of the published text."""
    repeated_ratio: float | None
    """Share of these words in segments that other pages have too, 0 to 1; None where nothing is known of them."""
    language: str | None
    charset: str | None
