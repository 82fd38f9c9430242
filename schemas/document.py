"""The document record, which carries a parsed page into the window of its site."""

from typing import Annotated, Literal

import msgspec

from schemas.source import Source
from templ_core.times import EARLIEST_TIME_MS, LATEST_TIME_MS

DOCUMENT_FORMAT = 1
"""Version of the format; a reader refuses records of a newer version."""
_COUNT_MAX = (1 << 31) - 1


class DocumentRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document or the deletion of a URL, which is the value of a record of `documents`.

    It is encoded in MessagePack. The Kafka key is the site key, NUL and the source id. A null value
    removes the document from the window of its site.
    """

    format: int = DOCUMENT_FORMAT
    kind: Literal["document", "deletion"]
    url: str
    site: str
    id: str
    source: Source
    event_time_ms: Annotated[int, msgspec.Meta(ge=EARLIEST_TIME_MS, le=LATEST_TIME_MS)]
    """Time of the fetch in Unix milliseconds, limited by the cleaner to times that can be right."""
    fetched_at: str | None = None
    content_digest: bytes = b""
    """BLAKE2b-128 of the uncompressed columns in `body`, which is equal for equal pages."""
    site_model_version: str | None = None
    """Version of the site model with which the last published text was decided."""
    page_model_version: str = ""
    model_documents: Annotated[int, msgspec.Meta(ge=0, le=_COUNT_MAX)] = 0
    """Number of documents that this site model was fitted on."""
    place_pages: Annotated[int, msgspec.Meta(ge=0, le=_COUNT_MAX)] | None = None
    """Documents of this site model that know the places of the page's content, in the mean over its content; None
    without a model. They are few after a redesign."""
    new_runs: bytes = b""
    """What is remembered of the page's prose that this site model does not know: hashes of sampled runs of words, two
    bytes each."""
    kept: bytes = b""
    """One bit for each text segment: whether the last published text has it; the highest bit first."""
    revision: Annotated[int, msgspec.Meta(ge=0, le=_COUNT_MAX)] = 0
    """Revision of the last published text; the refresher sends the document again with each one."""
    body: bytes = b""
    """The document's columns in the core's compact form, empty for a deletion."""
    summary: bytes = b""
    """The document's page summary in the core's compact form; empty = the refresher makes one."""
    details: bytes = b""
    """Metadata, links, images and emphasis of the page in the core's compact form.

    With them a text that is published again has all fields of the first one.
    """
    headers: list[tuple[str, bytes | None]] = []
    """Headers of the page message that are not templ's, which are passed on with every output."""


def document_key(site: str, source: Source) -> bytes:
    """Return the key of a document record, which is the site key, NUL and the source id in UTF-8."""
    return f"{site}\0{source}".encode()


def site_of_key(key: bytes) -> str:
    """Return the site key in the key of a document record."""
    return key.partition(b"\0")[0].decode(errors="replace")
