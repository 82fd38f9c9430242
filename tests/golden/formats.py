"""Fixtures of every stored format, and the values that today's code reads from each.

A fixture is named by its format and that format's number. It stands for what users have stored, so it
is never overwritten: whoever raises a number adds a fixture of the new one.
"""

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import numpy as np
import zstandard

from schemas.codec import (
    decode_document_record,
    decode_fingerprint_record,
    decode_site_model_record,
    encode_msgpack,
)
from schemas.fingerprint import FingerprintRecord, fingerprint_key
from templ_core import SiteCleaner
from templ_core.config import MIB
from templ_core.dom import codec
from templ_core.dom.document import Document, read_document
from templ_core.page_level.model import model_file
from templ_core.site_level import site_model_file
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees import tree_model
from templ_core.site_level.window import page_summary
from tests.golden.pages import FOLDER as GOLDEN
from tests.templ_core.site_level.builders import site_model
from tests.workers.builders import document, page, site_model_record
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.local.runner import LocalWorker
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore
from workers.watcher.file_watch import FileWatch
from workers.watcher.watch_store import WatchStore

FOLDER = GOLDEN / "formats"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_BYTES = 1 << 26
_PAGE_MODEL = "page model of the fixture"
_LIST_MAX = 16
"""Longest array whose numbers are written out; of longer ones their digest is."""


class Fixture(NamedTuple):
    """A number of a stored format: how a fixture of today's number is made, and how one is read."""

    name: str
    write: Callable[[], bytes]
    read: Callable[[bytes], Any]

    @property
    def path(self) -> Path:
        """The file of the fixture."""
        return FOLDER / f"{self.name}.bin"

    @property
    def values_path(self) -> Path:
        """The file of the values in it."""
        return FOLDER / f"{self.name}.json"


def add_fixture(fixture: Fixture) -> None:
    """Write a fixture and its values, one a line, unless they are there."""
    if fixture.path.exists():
        return
    body = fixture.write()
    fixture.path.write_bytes(body)
    lines = [json.dumps(one, ensure_ascii=False) for one in plain(fixture.read(body))]
    fixture.values_path.write_text("[\n " + ",\n ".join(lines) + "\n]\n", "utf-8")


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it, without the names of fields, which may change."""
    if isinstance(value, msgspec.Struct):
        return [plain(getattr(value, name)) for name in value.__struct_fields__]
    if isinstance(value, np.ndarray):
        if value.size <= _LIST_MAX:
            return value.tolist()
        wide = value.astype("<f8" if value.dtype.kind == "f" else "<i8")
        return f"{value.shape} {_digest(wide.tobytes())}"
    if isinstance(value, bytes):
        if value.startswith(_ZSTD_MAGIC):
            value = zstandard.ZstdDecompressor().decompress(value, max_output_size=_MAX_BYTES)
        return f"{len(value)} bytes {_digest(value)}"
    if isinstance(value, dict):
        return [[plain(key), plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=8).hexdigest()


def _article() -> Document:
    return read_document((GOLDEN / "article" / "page.html").read_bytes(), "https://golden.example/")


def _compact_article() -> bytes:
    return codec.compress_columns(codec.document_columns(_article()))


def _with_signs() -> bytes:
    page = b"<table><tr><td>Piers<td>\xe2\x9c\x93<tr><td>Deck<td>\xe2\x9c\x97</table><dl><dt>&amp;&amp;<dd>and</dl>"
    return codec.compress_columns(
        codec.document_columns(read_document(page, "https://golden.example/"))
    )


def _with_lead() -> bytes:
    page = b"<meta name=description content='The piers are closed until the ice has gone.'><h1>Piers</h1><p>The piers are closed until the ice has gone.<p>News"
    return codec.compress_columns(
        codec.document_columns(read_document(page, "https://golden.example/"))
    )


def _page_summary() -> bytes:
    summary = page_summary.summarise_page(_article(), model_file.shipped_model())
    return page_summary.encode_page_summary(summary, _PAGE_MODEL)


def _simulated() -> list[Any]:
    """Return the pages of one small synthetic site."""
    return list(simulate_feed(FeedSettings(genre="blog", sites=1, pages=8, languages=("en",))))


def _site_model() -> SiteModel:
    return site_model([read_document(page.html.encode(), page.url) for page in _simulated()])


def _site_model_body() -> bytes:
    return site_model_file.encode_site_model(_site_model(), MIB)


def _page_model() -> bytes:
    """Return a small page model: the shipped one with zeros in its large tables."""
    model = model_file.shipped_model()
    tables = {
        name: msgspec.structs.replace(
            getattr(model, name), **{field: np.zeros_like(getattr(getattr(model, name), field))}
        )
        for name, field in (("attribute", "weights"), ("text", "weights"), ("page_types", "names"))
    }
    return model_file.encode_model(msgspec.structs.replace(model, **tables))


def _saved_sites() -> bytes:
    with SiteCleaner() as cleaner:
        for made in _simulated():
            cleaner.clean(made.html, made.url, made.fetched_at, site=made.site)
        return cleaner.to_bytes()


def _read_saved_sites(body: bytes) -> Any:
    cleaner = SiteCleaner.from_bytes(body)
    sites = [cleaner._known()[key] for key in cleaner.sites()]
    return [
        [site.key, site.documents, site.history.learned, site.history.fitted_at] for site in sites
    ]


def _state_folder(name: str) -> bytes:
    """Return a folder of the state of a small site, as a tar archive."""
    with tempfile.TemporaryDirectory() as directory:
        worker = LocalWorker(Path(directory), Settings(observed=True), workers=1)
        pages = [
            page(number, made.html.encode(), url=made.url, site=made.site)
            for number, made in enumerate(_simulated())
        ]
        with closing(FileWatch(Path(directory), Settings(), finds_copies=True)) as watch:
            for output in worker.run(pages):
                watch.take(output)
        worker.close()
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:xz") as tar:
            for file in sorted(Path(directory, name).iterdir()):
                if not file.name.startswith(("LOG", "LOCK", "OPTIONS")):
                    tar.add(file, file.name)
        return archive.getvalue()


def unpack(archive: IO[bytes], folder: Path) -> None:
    """Write the files of a tar archive to a folder; Python before 3.11.4 has no filters for that."""
    with tarfile.open(fileobj=archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)


def _of_store(open_store: Callable, records: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    """Return a function that gives the records of a store, which is a folder in a tar archive."""

    def read(archive: bytes) -> Any:
        with tempfile.TemporaryDirectory() as directory:
            unpack(io.BytesIO(archive), Path(directory))
            store = open_store(Path(directory))
            stored = records(store)
            store.close()
        return stored

    return read


def _windows(store: WindowStore) -> Any:
    return [record for site, _ in store.sites() for record in store.window(site)]


def _models(store: ModelStore) -> Any:
    return [store.get(key.decode()) for key, _ in store._db.scan("models")]


def _watched(store: WatchStore) -> Any:
    sites = [[site, watch, *store.pages(site)] for site, watch in store.sites()]
    return msgspec.to_builtins(sites)


def _contents(index: ContentIndex) -> Any:
    pages = [(one, index._entry(fingerprint_key(one.site, one.url))) for one in index.pages()]
    return [[one.url, one.site, *(entry or ())] for one, entry in pages]


FIXTURES = [
    Fixture("document-3", _compact_article, codec.decode_document),
    Fixture("document-4", _with_signs, codec.decode_document),
    Fixture("document-5", _with_lead, codec.decode_document),
    Fixture(
        "page_summary-5",
        _page_summary,
        lambda body: page_summary.decode_page_summary(body, _compact_article(), _PAGE_MODEL),
    ),
    *(
        Fixture(f"site_model-{number}", _site_model_body, site_model_file.decode_site_model)
        for number in (4, 5, 6, 7, 8, 9)
    ),
    Fixture(
        "trees-2",
        lambda: tree_model.encode_tree_model(_site_model().trees),
        tree_model.decode_tree_model,
    ),
    Fixture("page_model-4", _page_model, model_file.decode_model),
    Fixture(
        "document_record-1",
        lambda: encode_msgpack(document(1, body=_compact_article())),
        decode_document_record,
    ),
    Fixture(
        "site_model_record-1",
        lambda: encode_msgpack(site_model_record(body=_site_model_body())),
        decode_site_model_record,
    ),
    Fixture(
        "fingerprint_record-1",
        lambda: encode_msgpack(
            FingerprintRecord(url="https://a.example/1", site="a.example", key=1 << 63, rank=1)
        ),
        decode_fingerprint_record,
    ),
    *(Fixture(f"saved_sites-{number}", _saved_sites, _read_saved_sites) for number in (1, 2, 3)),
    Fixture(
        "window_store-6",
        lambda: _state_folder("windows-0"),
        _of_store(lambda path: WindowStore(path, Settings()), _windows),
    ),
    Fixture("model_store-1", lambda: _state_folder("models"), _of_store(ModelStore, _models)),
    Fixture(
        "watch_store-1",
        lambda: _state_folder("watched"),
        _of_store(lambda path: WatchStore(path, Settings().window), _watched),
    ),
    Fixture(
        "content_index-2",
        lambda: _state_folder("contents"),
        _of_store(lambda path: ContentIndex(path, 1000), _contents),
    ),
]
