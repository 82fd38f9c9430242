import os
import subprocess
import sys

import pytest

from workers.whole_file import write_whole

PAGE = b'{"url":"https://a.com/","html":"<p>some words of a page"}\n'


def templ(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "workers", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def feed(tmp_path):
    path = tmp_path / "feed.jsonl"
    path.write_bytes(PAGE)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "FEED", "--out", "FEED"),
        ("run", "FEED", "--out", "OUT", "--dead-letters", "FEED"),
        ("run", "FEED", "--out", "OUT", "--dead-letters", "OUT"),
        ("feed", "FEED", "--broker", "127.0.0.1:1", "--dead-letters", "FEED"),
    ],
)
def test_an_output_never_replaces_an_input(feed, tmp_path, arguments):
    names = {"FEED": feed, "OUT": tmp_path / "out.jsonl"}
    done = templ(*(names.get(one, one) for one in arguments))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert feed.read_bytes() == PAGE


def test_a_full_disk_is_one_line(feed, tmp_path):
    done = templ("run", feed, "--out", "/dev/full", "--dead-letters", tmp_path / "dead")
    assert done.returncode == 74
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


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
