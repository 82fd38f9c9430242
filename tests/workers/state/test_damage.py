"""Damaged stores: every wrong byte is noticed, and a store that is in a topic too is rebuilt."""

import logging
import random
import shutil
import subprocess
import sys

import pytest

from schemas.codec import encode_msgpack
from tests.workers.builders import document, entries_of, packed, site_model_record, stored_summary
from workers.errors import DamagedStore, OtherFormat, StateProblem
from workers.settings import load_settings
from workers.state.directory import StateDirectory
from workers.state.model_store import ModelStore
from workers.state.rebuildable import open_rebuildable
from workers.state.window_store import WindowStore

SETTINGS = load_settings()


def windows_at(path):
    return WindowStore(path, SETTINGS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store of windows with all that it holds in its files, none of it in its log of changes."""
    path = tmp_path_factory.mktemp("whole") / "windows"
    store = windows_at(path)
    for number in range(60):
        body = packed(random.Random(number).randbytes(6000))
        record = document(number, site=f"s{number % 3}.com", body=body)
        store.enter(record, stored_summary(record), store.next_offset)
    store.close()
    return path


def content(path):
    """Everything in a store of windows."""
    store = windows_at(path)
    try:
        return entries_of(store), store.next_offset
    finally:
        store.close()


def damages(file, rng):
    """The bytes of a file, damaged in several ways; None = the file is lost."""
    good = file.read_bytes()
    for _ in range(4):
        place = rng.randrange(len(good))
        yield good[:place] + bytes([good[place] ^ (1 << rng.randrange(8))]) + good[place + 1 :]
    yield good[: len(good) // 2]
    yield None


def test_every_damaged_file_is_noticed_or_does_not_matter(whole, tmp_path):
    undamaged = content(shutil.copytree(whole, tmp_path / "undamaged"))
    names = [one.name for one in whole.iterdir() if one.suffix in {".sst", ".blob"}]
    names += [one.name for one in whole.glob("MANIFEST-*")] + ["CURRENT"]
    noticed = dict.fromkeys(names, 0)
    for name in names:
        for number, damaged in enumerate(damages(whole / name, random.Random(name))):
            path = shutil.copytree(whole, tmp_path / f"{name}-{number}")
            if damaged is None:
                (path / name).unlink()
            else:
                (path / name).write_bytes(damaged)
            try:
                entries = content(path)
            except DamagedStore:
                noticed[name] += 1
            else:
                assert entries == undamaged
    assert min(noticed.values()) >= 2, noticed


def damage_blob(path):
    blob = max(path.glob("*.blob"), key=lambda one: one.stat().st_size)
    blob.write_bytes(blob.read_bytes()[:1000] + b"wrong" + blob.read_bytes()[1005:])


def test_damage_found_while_reading_is_known_at_the_next_opening(whole, tmp_path, caplog):
    path = shutil.copytree(whole, tmp_path / "windows")
    damage_blob(path)
    store = windows_at(path)
    with pytest.raises(DamagedStore, match="Blob"):
        list(store.window("s0.com"))
    store.close()
    with pytest.raises(DamagedStore, match="Blob"):
        windows_at(path)
    with caplog.at_level(logging.WARNING):
        again = open_rebuildable(path, windows_at, "documents")
    assert again.next_offset == 0
    again.close()
    (line,) = caplog.messages
    assert "set aside as windows.damaged and rebuilt from documents" in line
    assert (path.with_name("windows.damaged") / "CURRENT").exists()


def test_only_the_last_damaged_store_is_kept(whole, tmp_path):
    path = tmp_path / "windows"
    for _ in range(2):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(whole, path)
        (path / "CURRENT").write_text("MANIFEST-1")
        open_rebuildable(path, windows_at, "documents").close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["windows", "windows.damaged"]


def test_a_window_that_lacks_a_document_is_damaged(whole, tmp_path):
    path = shutil.copytree(whole, tmp_path / "windows")
    store = windows_at(path)
    key, _ = next(store._db.scan("entries", b"s0.com\0"))
    with store._db._problems():
        del store._db._families["entries"][key]
    newer = document(999, site="s0.com", url="https://s0.com/0")
    with pytest.raises(DamagedStore, match=r"the window of s0\.com lacks a document"):
        store.enter(newer, stored_summary(newer), store.next_offset)
    store.close()
    with pytest.raises(DamagedStore):
        windows_at(path)


@pytest.mark.parametrize(
    ("family", "read"),
    [
        ("pages", lambda store: list(store.window("s0.com"))),
        ("entries", lambda store: list(entries(store))),
        ("sites", lambda store: store.site_state("s0.com")),
        ("dictionaries", lambda store: list(store.window("s0.com"))),
    ],
)
def test_a_stored_value_that_cannot_be_decoded_is_damage(whole, tmp_path, family, read):
    path = shutil.copytree(whole, tmp_path / "windows")
    store = windows_at(path)
    key, _ = next(store._db.scan(family, b"s0.com"))
    store._db.put(family, key, b"\xff wrong")
    with pytest.raises(DamagedStore, match="a stored value cannot be decoded"):
        read(store)
    store.close()
    with pytest.raises(DamagedStore):
        windows_at(path)


def entries(store):
    return store.window_entries("s0.com")


def test_a_damaged_model_store_is_recreated_and_reads_its_topic_again(tmp_path):
    path = tmp_path / "models"
    store = ModelStore(path)
    model = site_model_record(site="a.com", body=bytes(10_000))
    store.put("a.com", encode_msgpack(model), 0, 5)
    store.close()
    damage_blob(path)
    damaged = ModelStore(path)
    with pytest.raises(DamagedStore):
        damaged.get("a.com")
    damaged.close()
    again = open_rebuildable(path, ModelStore, "site-models")
    assert again.next_offset(0) == 0
    assert again.get("a.com") is None
    again.close()


def test_a_store_of_another_version_is_rebuilt_and_not_kept(tmp_path):
    def open_store(_path):
        if path.exists():
            raise OtherFormat("another version")
        return "new"

    path = tmp_path / "windows"
    path.mkdir()
    assert open_rebuildable(path, open_store, "documents") == "new"
    assert list(tmp_path.iterdir()) == []


def test_a_store_whose_making_was_interrupted_is_new(tmp_path):
    path = tmp_path / "windows"
    store = windows_at(path)
    with store._db._problems():
        del store._db._families["meta"][b"format"]
    store.close()
    assert content(path)[1] == 0


def test_a_directory_with_a_damaged_description_is_begun_again_where_topics_hold_it(
    tmp_path, caplog
):
    StateDirectory.open(tmp_path, 4).close()
    (tmp_path / "windows-0").mkdir()
    (tmp_path / "state.json").write_bytes(b'{"format":1,"part\xffitions":4}')
    with pytest.raises(StateProblem, match="damaged"):
        StateDirectory.open(tmp_path, 4)
    with caplog.at_level(logging.WARNING):
        StateDirectory.open(tmp_path, 4, is_rebuildable=True).close()
    assert "its content is set aside and rebuilt" in caplog.text
    names = sorted(one.name for one in tmp_path.iterdir())
    assert names == ["lock", "state.json", "state.json.damaged", "windows-0.damaged"]


MANY_FILES = """
import random, resource, sys
from pathlib import Path
from tests.workers.state.test_damage import content, windows_at
from tests.workers.builders import document, packed, stored_summary
limit = int(sys.argv[2])
for number in range(int(sys.argv[3])):
    store = windows_at(Path(sys.argv[1]))
    record = document(number, site=f"s{number}.com", body=packed(random.Random(number).randbytes(6000)))
    store.enter(record, stored_summary(record), store.next_offset)
    store.close()
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
print(len(content(Path(sys.argv[1]))[0]))
"""


def many_files(path, limit, stores=0):
    command = [sys.executable, "-c", MANY_FILES, path, str(limit), str(stores)]
    return subprocess.run(map(str, command), capture_output=True, text=True, check=False)


def test_a_store_has_more_files_than_a_process_may_have_open(tmp_path):
    path = tmp_path / "windows"
    whole = many_files(path, 1024, stores=70)
    assert len(list(path.glob("*.blob"))) > 60
    few = many_files(path, 60)
    assert few.returncode == 0, few.stderr
    assert few.stdout == whole.stdout
    none = many_files(path, 10)
    assert "may have 10 files open" in none.stderr
    assert "raise the limit" in none.stderr
    assert "delete" not in none.stderr
