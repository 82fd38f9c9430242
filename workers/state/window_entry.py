"""What a window stores of a document: a small entry, and the page itself.

Numbers in keys are big-endian, so that the order of the keys is the order of the numbers.
"""

from operator import attrgetter
from typing import Any

import msgspec

from schemas.document import DocumentRecord
from schemas.source import Source
from templ_core.errors import CodecError
from templ_core.site_level.window.site_window import WindowFetch, url_hash
from workers.state.packing import content_of

_EPOCH_SHIFT_MS = 1 << 62
"""Added to times in keys, so that times before 1970 sort before later ones."""
_TIME_BYTES = 8


class WindowEntry(msgspec.Struct, frozen=True, array_like=True):
    """A document record without its site, which is part of the key, and without its page."""

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
    document_bytes: int
    """Size of the document, not compressed."""
    compared_documents: int
    """Number of documents of the site model with which the text was last compared."""
    dictionary: int = 0
    """Number of the dictionary that the page is compressed with; 0 = none."""


class StoredPage(msgspec.Struct, frozen=True, array_like=True):
    """What belongs to a document beside its entry: compact forms without their compression.

    All of it is compressed together, because details and summary repeat what the document says.
    """

    document: bytes
    summary: bytes
    details: bytes = b""
    headers: list[tuple[str, bytes | None]] = []


_SHARED = WindowEntry.__struct_fields__[: WindowEntry.__struct_fields__.index("document_bytes")]
"""The fields that an entry shares with its record."""
_shared_values = attrgetter(*_SHARED)


def entry_of(record: DocumentRecord, page: StoredPage) -> WindowEntry:
    """Return the entry of a document that has just arrived."""
    values = *_shared_values(record), len(page.document), record.model_documents
    return WindowEntry(*values)


def revised_entry(known: WindowEntry, record: DocumentRecord) -> WindowEntry:
    """Return the entry of a document whose text was published again."""
    return msgspec.structs.replace(
        known,
        site_model_version=record.site_model_version,
        page_model_version=record.page_model_version,
        model_documents=record.model_documents,
        kept=record.kept,
        revision=record.revision,
        compared_documents=record.model_documents,
    )


def stored_page(record: DocumentRecord, summary: bytes) -> StoredPage:
    """Return the page of a record with its summary; details that cannot be read are left out.

    Raises:
        CodecError: The document or the summary is damaged.
    """
    try:
        details = content_of(record.details) if record.details else b""
    except CodecError:
        details = b""
    return StoredPage(content_of(record.body), content_of(summary), details, record.headers)


def record_of(site: str, entry: WindowEntry, page: StoredPage) -> DocumentRecord:
    """Return the document record of an entry and its page, whose compact forms are not compressed."""
    shared: dict[str, Any] = dict(zip(_SHARED, _shared_values(entry), strict=True))
    return DocumentRecord(
        kind="document",
        site=site,
        **shared,
        body=page.document,
        details=page.details,
        headers=page.headers,
    )


def fetch_of(entry: WindowEntry) -> WindowFetch:
    """Return what the window knows of an entry."""
    return WindowFetch(
        entry.event_time_ms, url_hash(entry.url), entry.content_digest, entry.document_bytes
    )


def time_bytes(time_ms: int) -> bytes:
    """Return a time as 8 bytes whose order is the order of times."""
    return (time_ms + _EPOCH_SHIFT_MS).to_bytes(_TIME_BYTES, "big")


def time_from(stored: bytes) -> int:
    """Return the time with which `stored` begins."""
    return int.from_bytes(stored[:_TIME_BYTES], "big") - _EPOCH_SHIFT_MS
