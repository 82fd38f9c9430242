"""No file of a store holds a byte of a site that was erased; compression is off, so that bytes show."""

import pytest
from rocksdict import DBCompressionType

from schemas.codec import encode_msgpack
from tests.workers.builders import document, entries_of, site_model_record, stored_summary
from workers.settings import load_settings
from workers.state import rocks
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

GONE, STAYS = "gone.example", "stays.example"
PIECE_BYTES = 12


@pytest.fixture(autouse=True)
def _readable_files(monkeypatch):
    packed = rocks._options

    def plain(memory):
        options = packed(memory)
        options.set_compression_type(DBCompressionType.none())
        return options

    monkeypatch.setattr(rocks, "_options", plain)


def files_with(path, *wanted):
    """Return the names of the files of a store that hold one of these byte strings."""
    return sorted(
        file.name
        for file in path.iterdir()
        if file.is_file() and any(one in file.read_bytes() for one in wanted)
    )


def pieces(entries, site):
    """Return pieces of every stored value of a site that is its own and long enough, and the site's name."""
    own = site.encode()
    values = [
        value
        for family, key, value in entries
        if family != "sites" and key.startswith(own) and len(value) > 40
    ]
    return [own, *(value[10 : 10 + PIECE_BYTES] for value in values)]


def filled_windows(path):
    store = WindowStore(path, load_settings())
    for number in range(12):
        for site in (GONE, STAYS):
            record = document(number, site=site)
            store.enter(record, stored_summary(record), None)
    store.delete_url(document(99, site=GONE, url=f"https://{GONE}/3", kind="deletion"), None)
    return store


def test_a_window_store_holds_no_byte_of_an_erased_site(tmp_path):
    path = tmp_path / "windows-0"
    store = filled_windows(path)
    mine, others = (pieces(entries_of(store), site) for site in (GONE, STAYS))
    assert len(mine) > 3
    assert files_with(path, *mine)
    assert store.erase(GONE)
    assert not store.erase(GONE)
    assert not files_with(path, *mine)
    assert files_with(path, others[0])
    assert [site for site, _ in store.sites()] == [STAYS]
    assert store.totals().documents == 12
    assert len(list(store.window(STAYS))) == 12
    store.close()
    assert not files_with(path, *mine)


def test_erasing_that_was_interrupted_is_completed_by_the_next_call(tmp_path, monkeypatch):
    path = tmp_path / "windows-0"
    store = filled_windows(path)
    mine = pieces(entries_of(store), GONE)
    with monkeypatch.context() as patch:
        patch.setattr(rocks.RocksDatabase, "rewrite", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.erase(GONE)
    store.close()
    assert files_with(path, *mine)
    again = WindowStore(path, load_settings())
    again.erase(GONE)
    assert not files_with(path, *mine)
    again.close()


def test_a_store_of_models_holds_no_byte_of_an_erased_site(tmp_path):
    path = tmp_path / "models"
    store = ModelStore(path)
    for offset, site in enumerate((GONE, STAYS)):
        body = f"body of {site}".encode() * 300
        model = site_model_record(f"version of {site}", site=site, body=body)
        store.put(site, encode_msgpack(model), 0, offset)
    assert files_with(path, GONE.encode())
    assert store.erase(GONE)
    assert not store.erase(GONE)
    assert not files_with(path, GONE.encode())
    assert files_with(path, STAYS.encode())
    assert store.get(GONE) is None
    assert store.get(STAYS) is not None
    assert store.next_offset(0) == 2
    store.close()
