import os
import resource
from threading import Timer

import pytest

from workers.errors import DiskProblem, StateProblem
from workers.state import rocks
from workers.state.rocks import Batch, RocksDatabase


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
    for one in (small, alike, other):
        one.close()
