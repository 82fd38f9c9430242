"""The fingerprint record, by which watchers learn from each other who published a content first."""

from typing import Annotated

import msgspec

from schemas.source import Source

FINGERPRINT_FORMAT = 1
"""Version of the format; a reader refuses records of a newer version."""


class Original(msgspec.Struct, frozen=True, array_like=True):
    """The page of another site that published the content of a page first."""

    url: str
    site: str


class FingerprintRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a page that was published first there, which is the value of a record of `fingerprints`.

    It is encoded in MessagePack. The Kafka key is the site key, NUL and the URL. A null value means that the page
    is gone, or has another content.
    """

    format: int = FINGERPRINT_FORMAT
    url: str
    site: str
    key: Annotated[int, msgspec.Meta(ge=0)] | None
    """64-bit SimHash of the text; None stands for a null value."""
    rank: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)] = 0
    """When a cleaner saw the content first, in Unix milliseconds; on files its number."""
    fetched_at: str | None = None
    """Time of the page's newest fetch, an RFC 3339 time in UTC; null where it is not known."""
    source: Source | None = None
    """Where that fetch came from; null in records of earlier versions."""


def fingerprint_key(site: str, url: str) -> bytes:
    """Return the key of a fingerprint record, which is the site key, NUL and the URL in UTF-8."""
    return f"{site}\0{url}".encode()


def original_of_key(key: bytes) -> Original:
    """Return the page of the key of a fingerprint record."""
    site, _, url = key.decode().partition("\0")
    return Original(url, site)
