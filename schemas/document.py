"""Value of `documents`: a parsed page on its way into its site's window."""

from typing import Literal

import msgspec

from schemas.source import Source

DOCUMENT_FORMAT = 1
"""Raised with every change that older readers would misread; such a record is never guessed at."""


class DocumentRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document or the deletion of a URL, in MessagePack.

    The key is the site key, NUL, and the source id. A null value removes the document from the
    window of its site.
    """

    format: int = DOCUMENT_FORMAT
    kind: Literal["document", "deletion"]
    url: str
    site: str
    id: str
    source: Source
    event_time_ms: int
    """When the page was fetched, clamped by the cleaner; Unix milliseconds."""
    fetched_at: str | None = None
    content_digest: bytes = b""
    """BLAKE2b-128 of `body`'s uncompressed columns: equal pages have equal digests."""
    site_model_version: str | None = None
    """The site model with which the text was decided that is published last."""
    page_model_version: str = ""
    model_documents: int = 0
    """Documents that the site model rests on."""
    kept: bytes = b""
    """Which segments that text has, a bit each, the first in the highest bit."""
    revision: int = 0
    """Of that text; the refresher sends a document again with each revision."""
    body: bytes = b""
    """The document's columns in the core's compact form; empty for a deletion."""


def document_key(site: str, source: Source) -> bytes:
    """Key of a document record: site key, NUL, source id, in UTF-8."""
    return f"{site}\0{source}".encode()


def site_of_key(key: bytes) -> str:
    """Site key of a document record's key."""
    return key.partition(b"\0")[0].decode(errors="replace")
