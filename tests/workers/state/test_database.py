import pytest

from workers.errors import StateProblem
from workers.state import rocks
from workers.state.rocks import RocksDatabase


def test_damage_is_not_taken_for_a_lock(tmp_path, monkeypatch):
    def damaged(*_args, **_options):
        raise RuntimeError("Corruption: block checksum mismatch: stored = 1, computed = 2")

    monkeypatch.setattr(rocks, "Rdict", damaged)
    with pytest.raises(StateProblem, match="delete it and it is rebuilt"):
        RocksDatabase(tmp_path / "blocks", ("a",))


def test_a_database_that_is_open_already_is_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(rocks, "_LOCK_WAIT_S", 0.0)
    first = RocksDatabase(tmp_path / "db", ("a",))
    with pytest.raises(StateProblem, match="in use"):
        RocksDatabase(tmp_path / "db", ("a",))
    first.close()
