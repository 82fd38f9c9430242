"""Short ways to make valid records for tests."""

import msgspec
import zstandard

from schemas.cleaned import CleanedRecord, Fingerprint
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from schemas.source import Source
from templ_core.fingerprint import simhash
from templ_core.page_level.model.model_file import shipped_model, with_version
from templ_core.stored.compact import content_digest
from workers.page import Page
from workers.state.packing import content_of

DAY_MS = 24 * 3600 * 1000


def document(number, *, site="example.com", url=None, time_ms=None, body=None, kind="document"):
    """Return a document record whose remaining fields follow from its number."""
    own = b"\x91" + f"{site} {number}".rjust(99).encode()
    body = (body or packed(own)) if kind == "document" else b""
    return DocumentRecord(
        kind=kind,
        url=url or f"https://{site}/{number}",
        site=site,
        id=f"page:{number}",
        source=Source("pages", 0, number),
        event_time_ms=number * 60_000 if time_ms is None else time_ms,
        content_digest=content_digest(content_of(body)) if body else b"",
        body=body,
    )


def stored_summary(record):
    """Return a made-up page summary of a document record."""
    return packed(b"\x01" * 8)


def cleaned_text(site, path, text, *warnings):
    """Return the record of a page with a text, whose other fields say nothing."""
    return CleanedRecord(
        url=f"https://{site}/{path}", site=site, fetched_at=None, id="1", title="", text=text, method="page",
        confidence=1, revision=0, source=Source("pages", 0, 0), site_model_version=None, page_model_version="1",
        cleaner_version="1", warnings=list(warnings), chars_in=0, chars_out=0, blocks_kept=0, blocks_removed=0,
        fingerprint=Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{simhash(text):016x}"),
    )  # fmt: skip


def packed(content):
    """Return content as a zstd frame, like the body of a document."""
    return zstandard.ZstdCompressor(level=3).compress(content)


BODY_BYTES = 100


def page(number, body, *, site="example.com", **fields):
    """Return a page whose remaining fields follow from its number."""
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


MENU = "<ul><li>Home and more of the menu<li>About us and our friends</ul>"


def article(number, extra="", **fields):
    """Return a page with a menu that other pages have too, and a story of its own."""
    story = f"<p>Article {number} says this, and then that. " * 3
    body = f"<body class=single-post><h1>Article {number}</h1><p>By Ann Reed{MENU}<div>{story}</div>{extra}"
    return page(number, body.encode(), **fields)


class OneModel:
    """Stands in for a store of site models: it knows one model for every site."""

    def __init__(self, model=None):
        self.model = model

    def get(self, _site):
        return self.model

    def origin(self, _site):
        return "partition 3, offset 17"


def site_model_record(version="v", *, site="example.com", documents=3, body=b""):
    """Return the record of a site model, whose pages have no times."""
    return SiteModelRecord(
        site=site, version=version, documents=documents, first_event_time_ms=0,
        last_event_time_ms=0, body=body,
    )  # fmt: skip


def write_lines(path, records):
    """Write records to a file of JSON Lines; return its path."""
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    return path


def other_page_model():
    """Return a page model other than the shipped one, which keeps all text."""
    shipped = shipped_model()
    trees = msgspec.structs.replace(shipped.trees, base=shipped.trees.base + 200)
    return with_version(msgspec.structs.replace(shipped, trees=trees))


def entries_of(store):
    """Family, key and value of everything that a store holds."""
    families = store._db._families
    return [(family, *entry) for family in families for entry in store._db.scan(family)]
