"""State directories and databases: locks, formats, full disks, and readers that change nothing."""

import errno
import json
import os
import resource
from threading import Event, Timer

import pytest
import zstandard

from templ_core.errors import CodecError
from tests.workers.hostile_site_models import SAYS_SIX_GIB
from workers.errors import DiskProblem, StateProblem
from workers.settings import load_settings
from workers.site_settings import SITE_SETTINGS_FILE
from workers.state import rocks
from workers.state.database import MemoryDatabase
from workers.state.directory import StateDirectory
from workers.state.packing import (
    Packer,
    Packers,
    content_of,
    dictionary_key,
    plain_frame,
)
from workers.state.rocks import Batch, RocksDatabase
from workers.state.site_copy import copied_sites, copy_site
from workers.state.window_store import WindowStore


def test_only_one_process_at_a_time_may_use_a_directory(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.state.directory._LOCK_WAIT_S", 0.2)
    first = StateDirectory.open(tmp_path / "state", 4)
    with pytest.raises(StateProblem, match="in use by another process"):
        StateDirectory.open(tmp_path / "state", 4)
    first.close()
    StateDirectory.open(tmp_path / "state", 4).close()


def test_opening_waits_for_a_lock_that_is_soon_released(tmp_path):
    first = StateDirectory.open(tmp_path / "state", 4)
    closed = Event()

    def close():
        closed.set()
        first.close()

    Timer(0.5, close).start()
    StateDirectory.open(tmp_path / "state", 4).close()
    assert closed.is_set()


def test_a_directory_of_another_version_is_refused_with_advice(tmp_path):
    StateDirectory.open(tmp_path, 4).close()
    (tmp_path / "state.json").write_text('{"format":99,"partitions":4}')
    with pytest.raises(StateProblem, match="format 99.*delete"):
        StateDirectory.open(tmp_path, 4)


def test_a_directory_for_another_number_of_partitions_is_refused(tmp_path):
    StateDirectory.open(tmp_path, 4).close()
    with pytest.raises(StateProblem, match="made for 4 partitions, now there are 8"):
        StateDirectory.open(tmp_path, 8)


def test_a_directory_that_can_be_rebuilt_is_emptied_for_another_number_of_partitions(
    tmp_path, caplog
):
    StateDirectory.open(tmp_path, 4).close()
    (tmp_path / "windows-3").mkdir()
    (tmp_path / "windows-3" / "CURRENT").write_text("")
    (tmp_path / "settings.jsonl").write_text("")
    (tmp_path / SITE_SETTINGS_FILE).write_text("")
    name = json.loads((tmp_path / "state.json").read_bytes())["instance"]
    directory = StateDirectory.open(tmp_path, 8, is_rebuildable=True)
    directory.close()
    assert directory.instance == name
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "lock",
        SITE_SETTINGS_FILE,
        "state.json",
    ]
    assert "was made for 4 partitions, now there are 8: it is rebuilt" in caplog.text
    StateDirectory.open(tmp_path, 8).close()


def test_a_directory_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateProblem, match="choose another with --state"):
        StateDirectory.open(tmp_path / "file" / "state", 4)


def test_a_directory_keeps_its_random_name(tmp_path):
    names = []
    for path in (tmp_path / "one", tmp_path / "two", tmp_path / "one"):
        directory = StateDirectory.open(path, 4)
        names.append(directory.instance)
        directory.close()
    assert names[0] == names[2] != names[1]


def test_a_directory_without_a_name_is_given_one(tmp_path):
    (tmp_path / "state.json").write_text('{"format":1,"partitions":4}')
    first = StateDirectory.open(tmp_path, 4)
    first.close()
    second = StateDirectory.open(tmp_path, 4)
    second.close()
    assert first.instance == second.instance != ""


@pytest.mark.parametrize(
    ("number", "problem", "words"),
    [
        (errno.ENOSPC, DiskProblem, "free some disk space"),
        (errno.EROFS, StateProblem, "choose another"),
    ],
)
def test_a_directory_that_cannot_be_described_says_why(
    tmp_path, monkeypatch, number, problem, words
):
    def fail(*_arguments):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full:
        full.setattr("workers.state.directory._write", fail)
        with pytest.raises(problem, match=words):
            StateDirectory.open(tmp_path / "state", 1)
    StateDirectory.open(tmp_path / "state", 1).close()


def test_a_damaged_database_is_not_reported_as_locked(tmp_path, monkeypatch):
    def damaged(*_args, **_options):
        raise RuntimeError("Corruption: block checksum mismatch: stored = 1, computed = 2")

    monkeypatch.setattr(rocks, "Rdict", damaged)
    with pytest.raises(StateProblem, match="delete it to start with an empty one"):
        RocksDatabase(tmp_path / "blocks", ("a",))


def test_a_database_that_is_open_already_is_reported_as_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(rocks, "_LOCK_WAIT_S", 0.0)
    first = RocksDatabase(tmp_path / "db", ("a",))
    with pytest.raises(StateProblem, match="in use"):
        RocksDatabase(tmp_path / "db", ("a",))
    first.close()


def test_a_lock_that_the_last_owner_holds_a_little_longer_is_waited_for(tmp_path):
    last_owner = RocksDatabase(tmp_path / "db", ("a",))
    last_owner.put("a", b"key", b"value")
    Timer(0.6, last_owner.close).start()
    database = RocksDatabase(tmp_path / "db", ("a",))
    assert database.get("a", b"key") == b"value"
    database.close()


def test_a_full_disk_is_one_line_and_written_values_stay(tmp_path):
    database = RocksDatabase(tmp_path / "db", ("a",))
    written = []

    def write_many():
        for number in range(1000):
            batch = Batch()
            keys = [b"%d-%d" % (number, half) for half in range(2)]
            for key in keys:
                batch.put("a", key, os.urandom(1000))
            database.write(batch)
            written.extend(keys)

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, hard))  # a file that cannot grow
    try:
        with pytest.raises(DiskProblem, match=r"^cannot write .*db: .*; free some disk space, .*$"):
            write_many()
        with pytest.raises(DiskProblem):
            database.put("a", b"later", b"")
        with pytest.raises(DiskProblem):
            database.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    again = RocksDatabase(tmp_path / "db", ("a",))
    assert {key for key, _ in again.scan("a")} == set(written) != set()
    again.close()


def test_databases_of_one_size_share_a_cache_and_all_caches_are_counted(tmp_path):
    before = rocks.memory_bytes()["write_buffers"]
    small = RocksDatabase(tmp_path / "small", ("a",), 8 << 20)
    alike = RocksDatabase(tmp_path / "alike", ("a",), 8 << 20)
    other = RocksDatabase(tmp_path / "other", ("a",))
    assert small._memory is alike._memory is not other._memory
    small.put("a", b"key", bytes(1 << 20))
    other.put("a", b"key", bytes(1 << 20))
    assert rocks.memory_bytes()["write_buffers"] >= before + (2 << 20)
    for store in (small, alike, other):
        store.close()


@pytest.mark.parametrize("value", [b"", b"nonsense", SAYS_SIX_GIB, zstandard.compress(b"a")[:-1]])
@pytest.mark.parametrize(
    "read",
    [content_of, Packer(b"").content, Packer(b"dictionary").content],
    ids=["plain", "packed", "with a dictionary"],
)
def test_values_that_are_no_frames_or_too_large_are_refused(read, value):
    with pytest.raises(CodecError):
        read(value)


def test_values_packed_with_a_dictionary_are_read_with_it():
    database = MemoryDatabase(("dictionaries",))
    dictionary = b"boats on the river"
    database.put("dictionaries", dictionary_key("site", 4), plain_frame(dictionary))
    packed = Packer(dictionary).pack(b"many boats on the river")
    assert Packers(database).of("site", 4).content(packed) == b"many boats on the river"
    assert Packers(database).of("site", 0).content(plain_frame(b"river")) == b"river"


def test_damaged_dictionaries_are_refused():
    database = MemoryDatabase(("dictionaries",))
    database.put("dictionaries", dictionary_key("site", 4), zstandard.compress(b"a")[:-1])
    with pytest.raises(CodecError):
        Packers(database).of("site", 4)
    with pytest.raises(StateProblem, match="the window of site lacks a dictionary"):
        Packers(database).of("site", 20)


def files_of(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_reader_leaves_all_files_as_they_are(tmp_path):
    WindowStore(tmp_path / "windows-0", load_settings()).close()
    before = files_of(tmp_path)
    assert copied_sites(tmp_path) == {}
    assert copy_site(tmp_path, "a.example", load_settings()).windows is None
    assert files_of(tmp_path) == before


def test_a_state_directory_that_is_named_by_a_link_is_read(tmp_path):
    WindowStore(tmp_path / "real" / "windows-0", load_settings()).close()
    (tmp_path / "link").symlink_to("real")
    assert copied_sites(tmp_path / "link") == {}


def test_stores_that_share_their_buffers_write_no_files_before_these_are_full(tmp_path):
    """Else each write ends in files of a few keys once a process has some stores."""
    families = [f"family-{number}" for number in range(10)]
    stores = [RocksDatabase(tmp_path / str(number), tuple(families)) for number in range(4)]
    for number in range(800):
        batch = Batch()
        for family in families:
            batch.put(family, b"key %d" % number, b"value" * 20)
        stores[number % 4].write(batch)
    assert list(tmp_path.rglob("*.sst")) == []
    for store in stores:
        store.close()
