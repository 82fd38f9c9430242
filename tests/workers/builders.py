"""The shortest way to make valid values."""

import msgspec
import zstandard

from schemas.document import DocumentRecord
from schemas.source import Source
from templ_core.page_level.model.model_file import shipped_model, with_version
from workers.page import Page
from workers.state.window_entry import StoredSummary

DAY_MS = 24 * 3600 * 1000


def document(number, *, site="example.com", url=None, time_ms=None, body=None, kind="document"):
    """A document record; everything that is not given follows from its number."""
    return DocumentRecord(
        kind=kind,
        url=url or f"https://{site}/{number}",
        site=site,
        id=f"page:{number}",
        source=Source("pages", 0, number),
        event_time_ms=number * 60_000 if time_ms is None else time_ms,
        content_digest=f"digest-{number}".encode(),
        body=(body or packed(b"x" * 100)) if kind == "document" else b"",
    )


def stored_summary(record):
    """What the document record adds to its site's model, made up."""
    return StoredSummary(record.id, record.content_digest, packed(b"\x01" * 8))


def packed(content):
    """A zstd frame, as bodies are."""
    return zstandard.ZstdCompressor(level=3).compress(content)


BODY_BYTES = len(packed(b"x" * 100))


def page(number, body, *, site="example.com", **fields):
    """A page to clean."""
    values = {
        "source": Source("pages", 0, number),
        "url": f"https://{site}/{number}",
        "site": site,
        "id": f"page:{number}",
        "event_time_ms": number * 60_000,
        "fetched_at": None,
        "body": body,
    }
    return Page(**{**values, **fields})


def other_page_model():
    """A page model that is not the shipped one: it keeps everything."""
    shipped = shipped_model()
    trees = msgspec.structs.replace(shipped.trees, base=shipped.trees.base + 200)
    return with_version(msgspec.structs.replace(shipped, trees=trees))
