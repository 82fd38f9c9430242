"""Fixtures of every stored format, and the values that today's code reads from each.

A fixture is named by its format and that format's number. It stands for what users have stored, so it
is never overwritten: whoever raises a number adds a fixture of the new one.
"""

import hashlib
import io
import json
import tarfile
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import zstandard

from schemas.codec import (
    decode_document_record,
    decode_fingerprint_record,
    decode_site_model_record,
    encode_msgpack,
)
from schemas.document import DocumentRecord
from schemas.fingerprint import FingerprintRecord, fingerprint_key
from schemas.site_model import SiteModelRecord
from schemas.source import Source
from templ_core import SiteCleaner
from templ_core.config import MIB
from templ_core.dom import codec
from templ_core.dom.document import Document, read_document
from templ_core.page_level.model import model_file
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, TABLE_SIZE, HashedTable
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import About, PageModel
from templ_core.page_level.model.page_type import PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble
from templ_core.site_level import site_model_file
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees import tree_model
from templ_core.site_level.window import page_summary
from tests.golden.pages import FOLDER as GOLDEN
from tests.templ_core.site_level.builders import site_model
from tests.workers.builders import page
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.local.runner import LocalWorker
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

FOLDER = GOLDEN / "formats"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_BYTES = 1 << 26
_PAGE_MODEL_VERSION = "page model of the fixture"
_SITE_PAGES = 8
_WIDTH_CHARS = 100
_LIST_MAX = 16
"""Longest array whose numbers are written out; of longer ones their digest is."""


class Fixture(NamedTuple):
    """One stored format: how a fixture of it is made, and how it is read."""

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
    """Write a fixture and its values, unless they are there."""
    if fixture.path.exists():
        return
    FOLDER.mkdir(exist_ok=True)
    body = fixture.write()
    fixture.path.write_bytes(body)
    fixture.values_path.write_text(as_json(fixture.read(body)), "utf-8")


def as_json(value: Any) -> str:
    """Return a value as JSON, without the names of fields, which may change."""
    return _json(_plain(value), "") + "\n"


def _json(value: Any, indent: str) -> str:
    """Return a value as JSON with as many items of a list in a line as there is room for."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, list) or len(indent + line) <= _WIDTH_CHARS:
        return line
    rows: list[str] = []
    for item in (_json(one, indent + " ") for one in value):
        if rows and len(f"{indent} {rows[-1]}, {item}") <= _WIDTH_CHARS and "\n" not in rows[-1]:
            rows[-1] += f", {item}"
        else:
            rows.append(item)
    return f"[\n{indent} " + f",\n{indent} ".join(rows) + f"\n{indent}]"


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return [_plain(getattr(value, name)) for name in value.__struct_fields__]
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
        return [[_plain(key), _plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=8).hexdigest()


def _article() -> Document:
    return read_document((GOLDEN / "article" / "page.html").read_bytes(), "https://golden.example/")


def _compact_article() -> bytes:
    return codec.compress_columns(codec.document_columns(_article()))


def _simulated() -> list[Any]:
    """Return the pages of one small synthetic site."""
    return list(
        simulate_feed(FeedSettings(genre="blog", sites=1, pages=_SITE_PAGES, languages=("en",)))
    )


def _site_model() -> SiteModel:
    return site_model([read_document(page.html.encode(), page.url) for page in _simulated()])


def _page_summary() -> bytes:
    summary = page_summary.summarise_page(_article(), model_file.shipped_model())
    return page_summary.encode_page_summary(summary, _PAGE_MODEL_VERSION)


def _tiny_page_model() -> PageModel:
    """Return a page model of one tree, one network and few numbers that are not 0."""
    weights = np.zeros(TABLE_SIZE, np.int8)
    weights[:5] = range(-2, 3)
    small = np.array([0.5, -1.5, 2.0], np.float32)
    return model_file.with_version(
        PageModel(
            attribute=HashedTable(weights=weights, unit=0.25, bias=-1.0),
            text=HashedTable(weights=-weights, unit=0.5, bias=1.0),
            trees=TreeEnsemble(
                feature=np.array([1, 0, 0], np.int32),
                threshold=small,
                left=np.array([1, 1, 2], np.int32),
                right=np.array([2, 1, 2], np.int32),
                value=small,
                roots=np.array([0], np.int32),
                base=0.125,
                depth=1,
            ),
            networks=[
                Network(
                    mean=small,
                    scale=small,
                    weights=[small.reshape(3, 1), small[:1].reshape(1, 1)],
                    biases=[small[:1], small[1:2]],
                )
            ],
            page_types=PageTypeModel(
                mean=small,
                scale=small,
                weights=np.ones((3, 6), np.float32),
                biases=np.zeros(6, np.float32),
                names=np.ones((NAMES_SIZE, 6), np.int8),
                unit=0.5,
            ),
            confidence=Confidence((1.0, *[0.25] * 8), -0.5),
            about=About(corpora={"corpus": "00"}, licence="none", quality={"corpus": 0.5}),
            version="",
        )
    )


_DOCUMENT = DocumentRecord(
    kind="document", url="https://golden.example/article", site="golden.example", id="article",
    source=Source("pages", 1, 23), event_time_ms=1_740_000_000_000,
    fetched_at="2025-02-19T21:20:00Z", content_digest=b"digest", site_model_version="s",
    page_model_version="p", model_documents=7, kept=b"\xf0", revision=1,
)  # fmt: skip
_SITE_MODEL = SiteModelRecord(
    site="golden.example", version="v", documents=8, first_event_time_ms=1_740_000_000_000,
    last_event_time_ms=1_740_000_600_000, body=b"",
)  # fmt: skip


def _state_folder(name: str) -> bytes:
    """Return a folder of the state of a small site, as a tar archive."""
    with tempfile.TemporaryDirectory() as directory:
        worker = LocalWorker(Path(directory), Settings(duplicates=name == "contents"), workers=1)
        pages = [
            page(number, made.html.encode(), url=made.url, site=made.site)
            for number, made in enumerate(_simulated())
        ]
        deque(worker.run(pages), maxlen=0)
        worker.close()
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:xz") as tar:
            for file in sorted(Path(directory, name).iterdir()):
                if not file.name.startswith(("LOG", "LOCK", "OPTIONS")):
                    info = tarfile.TarInfo(file.name)
                    info.size = file.stat().st_size
                    tar.addfile(info, io.BytesIO(file.read_bytes()))
        return archive.getvalue()


def _saved_sites() -> bytes:
    with SiteCleaner() as cleaner:
        for made in _simulated():
            cleaner.clean(made.url, made.html, made.fetched_at, site=made.site)
        return cleaner.to_bytes()


def _read_saved_sites(body: bytes) -> Any:
    cleaner = SiteCleaner.from_bytes(body)
    sites = [cleaner._known()[key] for key in cleaner.sites()]
    return [[site.key, site.documents, site.learned, site.fitted_at] for site in sites]


def _read_window_store(archive: bytes) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        store = WindowStore(_unpacked(archive, directory), Settings())
        records = [record for site, _ in store.sites() for record in store.window(site)]
        store.close()
    return records


def _read_model_store(archive: bytes) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        store = ModelStore(_unpacked(archive, directory))
        records = [
            store.get(key.decode()) for family, key, _ in store.entries() if family == "models"
        ]
        store.close()
    return records


def _read_content_index(archive: bytes) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        index = ContentIndex(_unpacked(archive, directory), 1000)
        pages = [(one, index._entry(fingerprint_key(one.site, one.url))) for one in index.pages()]
        index.close()
    return [[one.url, one.site, *(entry or ())] for one, entry in pages]


def _unpacked(archive: bytes, directory: str) -> Path:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:xz") as tar:
        tar.extractall(directory, filter="data")
    return Path(directory)


def _read_page_summary(body: bytes) -> Any:
    return page_summary.decode_page_summary(body, _compact_article(), _PAGE_MODEL_VERSION)


FIXTURES = [
    Fixture("document-3", _compact_article, codec.decode_document),
    Fixture("page_summary-5", _page_summary, _read_page_summary),
    *(
        Fixture(
            name,
            lambda: site_model_file.encode_site_model(_site_model(), MIB),
            site_model_file.decode_site_model,
        )
        for name in ("site_model-4", "site_model-5", "site_model-6", "site_model-7")
    ),
    Fixture(
        "trees-2",
        lambda: tree_model.encode_tree_model(_site_model().trees),
        tree_model.decode_tree_model,
    ),
    Fixture(
        "page_model-3", lambda: model_file.encode_model(_tiny_page_model()), model_file.decode_model
    ),
    Fixture(
        "document_record-1",
        lambda: encode_msgpack(msgspec.structs.replace(_DOCUMENT, body=_compact_article())),
        decode_document_record,
    ),
    Fixture(
        "site_model_record-1",
        lambda: encode_msgpack(
            msgspec.structs.replace(
                _SITE_MODEL, body=site_model_file.encode_site_model(_site_model(), MIB)
            )
        ),
        decode_site_model_record,
    ),
    Fixture("window_store-6", lambda: _state_folder("windows-0"), _read_window_store),
    *(
        Fixture(name, _saved_sites, _read_saved_sites)
        for name in ("saved_sites-1", "saved_sites-2")
    ),
    Fixture("model_store-1", lambda: _state_folder("models"), _read_model_store),
    Fixture(
        "fingerprint_record-1",
        lambda: encode_msgpack(
            FingerprintRecord(url="https://a.example/1", site="a.example", key=1 << 63, rank=1)
        ),
        decode_fingerprint_record,
    ),
    Fixture("content_index-1", lambda: _state_folder("contents"), _read_content_index),
]
