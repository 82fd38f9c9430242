"""A file is replaced as a whole, or not at all."""

import os

import pytest

from workers.whole_file import write_whole


def test_a_content_is_on_the_disk_before_it_takes_the_place_of_the_old_one(tmp_path, monkeypatch):
    path, synced = tmp_path / "state.json", []
    path.write_bytes(b"old")

    def sync(descriptor):
        assert path.read_bytes() == b"old"
        synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", sync)
    write_whole(path, b"content")
    assert synced == [7]
    assert path.read_bytes() == b"content"
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]


def test_a_content_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    path.write_bytes(b"old")

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
