import errno
import json
import os
from threading import Event, Timer

import pytest

from workers.errors import DiskProblem, StateProblem
from workers.site_settings.book import SETTINGS_FILE
from workers.state.directory import StateDirectory


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
    (tmp_path / SETTINGS_FILE).write_text("")
    name = json.loads((tmp_path / "state.json").read_bytes())["instance"]
    found = StateDirectory.open(tmp_path, 8, is_rebuildable=True)
    found.close()
    assert found.instance == name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", SETTINGS_FILE, "state.json"]
    assert "was made for 4 partitions, now there are 8: it is rebuilt" in caplog.text
    StateDirectory.open(tmp_path, 8).close()


def test_a_damaged_description_is_reported(tmp_path):
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(StateProblem, match="damaged"):
        StateDirectory.open(tmp_path, 4)


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
