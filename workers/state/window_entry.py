"""What a window stores of a document, and the keys under which it is stored.

Numbers in keys are big-endian, so that the order of the keys is the order of the window.
"""

import hashlib

import msgspec

from schemas.document import DocumentRecord
from schemas.source import Source
from templ_core.errors import CodecError
from templ_core.site_level.window.site_window import WindowFetch, url_hash
from workers.state.packing import content_of, plain_frame

_EPOCH_SHIFT_MS = 1 << 62
"""Added to times in keys, so that times before 1970 sort before later ones."""
SUMMARIES = "contributions"
"""Family of page summaries, under the name that it had when the format was fixed."""
SUPERSEDED = "overtaken"
"""Family of URLs to publish again, under the name that it had when the format was fixed."""
_TIME_BYTES = 8
_HASH_BYTES = 8


class WindowEntry(msgspec.Struct, frozen=True, array_like=True):
    """A document record without its site, which is part of the key, and without its body."""

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
    """Size of the body as it arrived."""
    looked_at: int
    """Number of documents of the site model with which the text was last compared."""
    rest_bytes: int = 0
    """Size of the `StoredDetails` that the stored body begins with; 0 = they are a value of their own, as
    in stores of format 4."""


def entry_of(record: DocumentRecord, rest_bytes: int) -> WindowEntry:
    """Return the entry of a document that has just arrived, with that of its stored body."""
    return WindowEntry(
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
        rest_bytes=rest_bytes,
    )


class StoredDetails(msgspec.Struct, frozen=True, array_like=True):
    """What a document record has beside its entry and its document."""

    details: bytes = b""
    """The details in compact form; in front of a body without their compression."""
    headers: list[tuple[str, bytes | None]] = []


def stored_body(record: DocumentRecord) -> tuple[bytes, int]:
    """Return the body of a record as it is stored, and the size of the `StoredDetails` in front of it.

    Both are compressed together, because details repeat words of the page. Details that cannot be read are
    left out.

    Raises:
        CodecError: The document is damaged.
    """
    try:
        details = content_of(record.details) if record.details else b""
    except CodecError:
        details = b""
    rest = msgspec.msgpack.encode(StoredDetails(details, record.headers))
    return rest + content_of(record.body), len(rest)


def record_of(site: str, entry: WindowEntry, body: bytes, apart: StoredDetails) -> DocumentRecord:
    """Return the document record of an entry.

    Args:
        site: Site key.
        entry: What is stored of the document beside its body.
        body: The stored body, decompressed.
        apart: What the record has beside them, for a body that does not begin with it.
    """
    rest = apart
    if entry.rest_bytes:
        rest = msgspec.msgpack.decode(body[: entry.rest_bytes], type=StoredDetails)
        details = plain_frame(rest.details) if rest.details else b""
        rest = msgspec.structs.replace(rest, details=details)
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
        body=plain_frame(body[entry.rest_bytes :]),
        details=rest.details,
        headers=rest.headers,
    )


def site_prefix(site: str) -> bytes:
    """Return the bytes with which every key of a site begins."""
    return site.encode() + b"\0"


def fetch_of(entry: WindowEntry) -> WindowFetch:
    """Return what the window knows of an entry."""
    return WindowFetch(
        entry.event_time_ms, url_hash(entry.url), entry.content_digest, entry.body_bytes
    )


def place_of(record: DocumentRecord | WindowEntry) -> bytes:
    """Return a document's place in its window.

    The place is the event time and a hash of the page id, followed by the source, which makes it
    unique. Windows are in the order of `SiteWindow`, which differs where times are equal.
    """
    page_hash = hashlib.blake2b(record.id.encode(), digest_size=_HASH_BYTES).digest()
    return time_bytes(record.event_time_ms) + page_hash + str(record.source).encode()


def time_bytes(time_ms: int) -> bytes:
    """Return a time as 8 bytes whose order is the order of times."""
    return (time_ms + _EPOCH_SHIFT_MS).to_bytes(_TIME_BYTES, "big")


def time_from(stored: bytes) -> int:
    """Return the time with which `stored` begins."""
    return int.from_bytes(stored[:_TIME_BYTES], "big") - _EPOCH_SHIFT_MS
