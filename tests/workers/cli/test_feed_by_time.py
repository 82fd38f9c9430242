"""`templ feed --by-time` from archives to a file: in order, and whole after every kill."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

from click.testing import CliRunner

from workers.cli.feed import feed_command
from workers.errors import StateProblem
from workers.feeds.archive_source import ArchiveSource
from workers.feeds.files import read_feed
from workers.page import Page

NOTE_RECORDS = 500


class KilledError(Exception):
    pass


def line(number, **changes):
    record = {
        "url": f"https://a.example/{number}",
        "html": f"<p>Story {number}",
        "fetched_at": 1_700_000_000 + number,
    }
    return json.dumps(record | changes).encode() + b"\n"


def write_archives(folder, count):
    """Write records of rising times that take turns in three files, one with a bad line."""
    folder.mkdir()
    parts = [b"".join(line(one) for one in range(part, count, 3)) for part in range(3)]
    (folder / "a.jsonl").write_bytes(parts[0])
    (folder / "b.jsonl").write_bytes(b"no record\n" + parts[1])
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(parts[2]))
    return folder


def arguments(tmp_path, *more):
    names = {"--to": "out.jsonl", "--progress": "progress", "--dead-letters": "dead"}
    given = ["--by-time", str(tmp_path / "in"), *map(str, more)]
    for option, name in names.items():
        given += [option, str(tmp_path / name)]
    return given


def run(tmp_path, *more):
    return CliRunner().invoke(feed_command, arguments(tmp_path, *more))


def sent(tmp_path):
    text = (tmp_path / "out.jsonl").read_text()
    assert text.endswith("\n")
    return [int(json.loads(one)["url"].rpartition("/")[2]) for one in text.splitlines()]


def test_a_replay_is_whole_after_every_kill(tmp_path):
    count = 6000
    write_archives(tmp_path / "in", count)
    progress = tmp_path / "progress"
    kills = 0
    while kills < 3:
        begun = [sys.executable, "-m", "workers", "feed", *arguments(tmp_path, "--rate", 1000)]
        process = subprocess.Popen(begun, stderr=subprocess.PIPE)
        before = progress.read_bytes() if progress.exists() else b""
        while process.poll() is None:
            time.sleep(0.01)
            now = progress.read_bytes() if progress.exists() else b""
            if b"offset" in now and now != before:
                time.sleep(0.03 * kills)
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
        process.stderr.close()
        assert process.returncode == -signal.SIGKILL
        kills += 1
    done = run(tmp_path)
    assert done.exit_code == 1
    assert "going on behind" in done.stderr
    numbers = sent(tmp_path)
    assert list(dict.fromkeys(numbers)) == list(range(count))
    assert len(numbers) - count <= kills * NOTE_RECORDS
    letters = [json.loads(one) for one in (tmp_path / "dead").read_text().splitlines()]
    assert [one["exception"] for one in letters] == ["InvalidRecord"]
    again = run(tmp_path)
    assert again.exit_code == 1
    assert "0 pages sent, 1 refused" in again.stderr
    assert len(sent(tmp_path)) == len(numbers)


def test_a_kill_before_anything_was_noted_is_no_obstacle(tmp_path, monkeypatch):
    write_archives(tmp_path / "in", 30)
    monkeypatch.setattr(ArchiveSource, "note", note_once())
    assert isinstance(run(tmp_path).exception, KilledError)
    monkeypatch.undo()
    assert sent(tmp_path) == [*range(30)]
    note = f"going on behind 0 records; delete {tmp_path / 'progress'} to send everything"
    assert note in run(tmp_path).stderr
    assert sent(tmp_path) == [*range(30), *range(30)]


def note_once():
    """Return a method that notes once, and is then as if the process were killed."""
    note = ArchiveSource.note
    calls = iter([note])

    async def noting(source):
        call = next(calls, None)
        if call is None:
            raise KilledError
        await call(source)

    return noting


def test_what_is_written_can_be_read_as_pages(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(
        line(1, html="<p>ü", content_type="text/html")
        + line(2, html=None, status=410)
        + line(3, site="other")
    )
    assert run(tmp_path).exit_code == 0
    given = list(read_feed([tmp_path / "in" / "a.jsonl"]))
    records = list(read_feed([tmp_path / "out.jsonl"]))
    names = ("url", "site", "id", "event_time_ms", "content_type", "charset", "status", "body")
    for one, other in zip(given, records, strict=True):
        assert isinstance(one, Page)
        assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]


def test_pages_of_other_times_are_left_out(tmp_path):
    write_archives(tmp_path / "in", 30)
    times = ("--since", "2023-11-14T22:13:30Z", "--until", "2023-11-14T22:13:40Z")
    run(tmp_path, *times)
    assert sent(tmp_path) == list(range(10, 20))


def test_an_archive_that_is_another_one_is_refused(tmp_path):
    write_archives(tmp_path / "in", 30)
    run(tmp_path)
    (tmp_path / "in" / "a.jsonl").write_bytes(line(5) * 30)
    assert isinstance(run(tmp_path).exception, StateProblem)
