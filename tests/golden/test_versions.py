"""An upgrade reads or rebuilds what the version before has stored; a rollback refuses newer values by name.

`versions/COMMIT.tar.xz` was written by `versions/write_version.py` with the code of that commit.
"""

from pathlib import Path

import msgspec
import pytest

from schemas.codec import (
    NewerFormatError,
    SchemaError,
    decode_document_record,
    decode_json,
    decode_output,
    decode_site_model_record,
)
from schemas.site_settings import SiteSettingsRecord
from templ_core.site_level.site_model_file import decode_site_model
from tests.golden.formats import unpack
from tests.workers.builders import document, page, stored_summary
from tests.workers.memory_transport import MemoryTransport
from workers.errors import OtherFormat, StateProblem
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.pool import Pool
from workers.settings import load_settings
from workers.state.directory import StateDirectory
from workers.state.model_store import ModelStore
from workers.state.rebuildable import open_rebuildable
from workers.state.rocks import RocksDatabase
from workers.state.window_store import _FAMILIES, WINDOW_FORMAT, WindowStore

FOLDER = Path(__file__).parent / "versions"
SITE = "small.example"
FROM_MS = 1_767_571_200_000 + 3_600_000
"""A time after that of the earlier pages."""


@pytest.fixture
def earlier(tmp_path):
    """What the version with records `cleaned/1` and documents of format 2 has stored."""
    with (FOLDER / "e410110.tar.xz").open("rb") as archive:
        unpack(archive, tmp_path)
    return tmp_path


def records(earlier, topic):
    return msgspec.msgpack.decode((earlier / f"{topic}.msgpack").read_bytes())


@pytest.fixture(scope="module")
def pool():
    pool = Pool(load_settings(), children=1)
    yield pool
    pool.close()


def test_earlier_records_of_cleaned_are_read(earlier):
    lines = (earlier / "cleaned.jsonl").read_bytes().splitlines()
    read = [decode_output(line) for line in lines]
    assert [one.schema for one in read] == ["cleaned/1"] * 6
    for record, line in zip(read, lines, strict=True):
        stored = msgspec.json.decode(line)
        for name in ("url", "text", "revision"):
            assert getattr(record, name) == stored[name]
        assert record.metadata is None


def test_an_earlier_site_model_cleans_pages(earlier):
    ((key, value),) = records(earlier, "site-models")
    store = ModelStore(None)
    store.put(key.decode(), value, partition=0, offset=0)
    kept = ModelStore(earlier / "state" / "models").get(SITE)
    assert store.get(SITE) == kept == decode_site_model_record(value)
    assert decode_site_model(kept.body).documents == kept.documents == 5


def test_earlier_windows_are_refused_by_name(earlier):
    StateDirectory.open(earlier / "state", 1).close()
    with pytest.raises(OtherFormat, match="windows-0 was written by .*: delete it to start with"):
        WindowStore(earlier / "state" / "windows-0", load_settings())


def test_a_window_of_earlier_documents_goes_on(earlier, pool):
    store = WindowStore(None, load_settings())
    for _, value in records(earlier, "documents"):
        store.enter(decode_document_record(value), b"\x91\x05", None)
    transport = MemoryTransport(store, pool, load_settings())
    # The model stays as it was until as many pages have come that can be read.
    kept = "6 documents of its window cannot be read any more"
    for number in range(6, 12):
        assert transport.engine.fit(SITE).reason == kept
        transport.learn(new_document(number, pool))
    assert [one.id for one in store.window(SITE)][:6] == [f"feed.jsonl:{n}" for n in range(6)]
    model = transport.engine.fit(SITE).model
    assert model.documents == store.site_state(SITE).pages - 6 == 6
    store.close()


def test_earlier_documents_are_left_out_of_a_lost_window_by_name(earlier, pool):
    transport = MemoryTransport(WindowStore(None, load_settings()), pool, load_settings())
    documents = [decode_document_record(value) for _, value in records(earlier, "documents")]
    assert [one.url[-1] for one in documents] == list("012345")
    for number, stored in enumerate(documents):
        problem = transport.engine.learn(stored, number)
        assert problem == "document of format 2, known is 5"
    assert transport.store.next_offset == 6


def new_document(number, pool):
    """The document of a page that today's cleaner has read."""
    body = f"<h1>News {number}</h1>" + f"<p>Story {number} says this, and then that. " * 4
    new = page(
        number,
        body.encode(),
        site=SITE,
        url=f"https://{SITE}/{number}",
        event_time_ms=FROM_MS + number,
    )
    return PageCleaner(pool, load_settings()).clean(new).document


def renumbered(value, **changed):
    return msgspec.msgpack.encode(msgspec.msgpack.decode(value) | changed)


def test_records_of_a_newer_version_are_refused_by_name(earlier):
    for topic, decode in (
        ("documents", decode_document_record),
        ("site-models", decode_site_model_record),
    ):
        _, value = records(earlier, topic)[0]
        with pytest.raises(NewerFormatError, match="has format 2, .* only 1: upgrade it"):
            decode(renumbered(value, format=2))
        decode(renumbered(value, a_field_of_later="is left out"))
    line = (earlier / "cleaned.jsonl").read_bytes().splitlines()[0]
    with pytest.raises(SchemaError, match="cleaned/4"):
        decode_output(line.replace(b"cleaned/1", b"cleaned/4"))
    with pytest.raises(SchemaError, match="site-settings/2"):
        decode_json(b'{"schema":"site-settings/2","site":"a.example"}', SiteSettingsRecord)


@pytest.mark.parametrize("number", [WINDOW_FORMAT - 1, WINDOW_FORMAT + 1])
def test_windows_of_another_format_are_rebuilt(tmp_path, number, caplog):
    path = tmp_path / "windows-0"
    store = WindowStore(path, load_settings())
    store.enter(document(1), stored_summary(document(1)), 0)
    store.close()
    database = RocksDatabase(path, _FAMILIES)
    database.put("meta", b"format", bytes([number]))
    database.close()
    with pytest.raises(OtherFormat, match="was written by another version"):
        WindowStore(path, load_settings())
    empty = open_rebuildable(path, lambda one: WindowStore(one, load_settings()), "documents")
    assert list(empty.sites()) == []
    empty.close()
    assert "written by another version: it is rebuilt from documents" in caplog.text


def test_a_state_directory_of_a_newer_version_is_refused_by_name(earlier):
    description = earlier / "state" / "state.json"
    description.write_bytes(description.read_bytes().replace(b'"format":1', b'"format":2'))
    with pytest.raises(StateProblem, match="has format 2, this version writes 1: delete it"):
        StateDirectory.open(earlier / "state", 1, is_rebuildable=True)
