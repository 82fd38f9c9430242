"""What a window keeps of a document beside its columns, and the keys it is kept under.

Keys are big-endian, so that the database's order is the window's order.
"""

import hashlib

import msgspec

from schemas.document import DocumentRecord
from schemas.source import Source
from workers.settings import DAY_MS

_EPOCH_SHIFT_MS = 1 << 62
"""Added to times in keys, so that those before 1970 sort first."""
_TIME_BYTES = 8
_HASH_BYTES = 8


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A document record without its site, which is in the key, and without its body."""

    url: str
    id: str
    source: Source
    event_time_ms: int
    fetched_at: str | None
    content_digest: bytes
    site_model_version: str | None
    page_model_version: str
    model_documents: int
    kept: bytes
    revision: int
    body_bytes: int
    """Bytes of the body as it came."""
    looked_at: int
    """Documents of the model that the text was last compared with."""


def entry_of(record: DocumentRecord) -> Entry:
    """The entry of a document as it comes."""
    return Entry(
        url=record.url,
        id=record.id,
        source=record.source,
        event_time_ms=record.event_time_ms,
        fetched_at=record.fetched_at,
        content_digest=record.content_digest,
        site_model_version=record.site_model_version,
        page_model_version=record.page_model_version,
        model_documents=record.model_documents,
        kept=record.kept,
        revision=record.revision,
        body_bytes=len(record.body),
        looked_at=record.model_documents,
    )


def record_of(site: str, entry: Entry, body: bytes) -> DocumentRecord:
    """The document record of an entry."""
    return DocumentRecord(
        kind="document",
        site=site,
        url=entry.url,
        id=entry.id,
        source=entry.source,
        event_time_ms=entry.event_time_ms,
        fetched_at=entry.fetched_at,
        content_digest=entry.content_digest,
        site_model_version=entry.site_model_version,
        page_model_version=entry.page_model_version,
        model_documents=entry.model_documents,
        kept=entry.kept,
        revision=entry.revision,
        body=body,
    )


def site_prefix(site: str) -> bytes:
    """Begins every key of a site."""
    return site.encode() + b"\0"


def place_of(record: DocumentRecord | Entry) -> bytes:
    """A document's place in its window: event time, hash of page id, then source for uniqueness."""
    page_hash = hashlib.blake2b(record.id.encode(), digest_size=_HASH_BYTES).digest()
    return time_bytes(record.event_time_ms) + page_hash + str(record.source).encode()


def day_of(place: bytes) -> int:
    """Day of a place's event time, in UTC."""
    return time_from(place) // DAY_MS


def hash_of(place: bytes) -> bytes:
    """Hash of a place's page id."""
    return place[_TIME_BYTES : _TIME_BYTES + _HASH_BYTES]


def url_hash(url: str) -> bytes:
    """Names a URL in keys; 16 bytes."""
    return hashlib.blake2b(url.encode(), digest_size=16).digest()


def time_bytes(time_ms: int) -> bytes:
    """A time in 8 bytes that sort as it does."""
    return (time_ms + _EPOCH_SHIFT_MS).to_bytes(_TIME_BYTES, "big")


def time_from(stored: bytes) -> int:
    """The time at the beginning of `stored`."""
    return int.from_bytes(stored[:_TIME_BYTES], "big") - _EPOCH_SHIFT_MS
