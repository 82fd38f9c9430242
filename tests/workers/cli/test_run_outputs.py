"""The files of a run: whole lines only, nothing twice and nothing missing after an interruption."""

import errno
import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
import zstandard

from tests.workers.builders import write_lines
from workers.errors import DiskProblem, UsageProblem
from workers.local import record_file
from workers.local.record_file import RecordFile
from workers.local.run_outputs import RunOutputs
from workers.state.site_copy import copied_sites

ARTICLE = "<p>" + "A sentence of some words, and then some more of them. " * 10


def unpacked_frames(body):
    """Return the content of zstd frames that follow each other."""
    content = b""
    while body:
        frame = zstandard.ZstdDecompressor().decompressobj()
        content += frame.decompress(body)
        body = frame.unused_data
    return content


UNPACK = {"": bytes, ".gz": gzip.decompress, ".xz": lzma.decompress, ".zst": unpacked_frames}
LINES = [b"%d %s\n" % (number, b"x" * number) for number in range(200)]


def pages(path, count, **fields):
    return write_lines(
        path,
        ({"url": f"https://a.com/{n}", "html": f"{ARTICLE} {n}", **fields} for n in range(count)),
    )


def urls(path):
    return [json.loads(line)["url"] for line in path.read_bytes().splitlines()]


def one_line(done):
    (line,) = done.stderr.decode().splitlines()
    return line


@pytest.mark.parametrize("suffix", UNPACK)
def test_a_file_is_compressed_by_its_suffix_and_goes_on_behind_its_whole_lines(
    tmp_path, monkeypatch, suffix
):
    monkeypatch.setattr(record_file, "_CHUNK_BYTES", 1000)
    monkeypatch.setattr(record_file, "_PACKED_CHUNK_BYTES", 1000)
    path = tmp_path / f"out.jsonl{suffix}"
    file = RecordFile("--out", path)
    for line in LINES:
        file.write(line)
    file.close()
    whole = path.read_bytes()
    for size in (len(whole), len(whole) - 1, len(whole) // 2, 3, 0):
        path.write_bytes(whole[:size])
        again = RecordFile("--out", path, resumes=True)
        before = list(again.lines_before())
        assert before == LINES[: len(before)]
        for line in LINES[len(before) :]:
            again.write(line)
        again.close()
        content = path.read_bytes()
        assert UNPACK[suffix](content) == b"".join(LINES), size


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_full_disk_leaves_whole_lines_and_says_how_to_go_on(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(record_file, "_CHUNK_BYTES", 2000)
    monkeypatch.setattr(record_file, "_PACKED_CHUNK_BYTES", 2000)
    path = tmp_path / f"out.jsonl{suffix}"
    file = RecordFile("--out", path)
    file._file = _SmallDisk(file._file, 5001)
    with pytest.raises(DiskProblem, match=f"--out {path}: No space left.* --resume") as problem:
        deque(map(file.write, LINES * 9), maxlen=0)
    file.close()
    assert problem.value.exit_code == 74
    content = UNPACK[suffix](path.read_bytes())
    assert content.endswith(b"\n")
    assert b"".join(LINES * 9).startswith(content)
    assert len(path.read_bytes()) > 2000


def test_a_full_disk_is_said_in_the_last_line(templ, tmp_path):
    done = templ("run", pages(tmp_path / "in.jsonl", 1), "--out", "/dev/full", expect=74)
    assert "No space left on device" in done.stderr.decode().splitlines()[-1]


def test_a_full_disk_behind_standard_output_has_its_exit_code(tmp_path):
    for count in (1, 300):
        feed = pages(tmp_path / f"{count}.jsonl", count)
        command = [sys.executable, "-m", "workers", "run", feed, "--out", "-"]
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 74
        last = done.stderr.decode().splitlines()[-1]
        assert last.startswith("templ: standard output: No space left on device; free some")


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO])
def test_a_disk_that_fails_is_not_called_full(tmp_path, number):
    file = RecordFile("--out", tmp_path / "out.jsonl")

    class Failing(_SmallDisk):
        def write(self, _chunk):
            raise OSError(number, os.strerror(number))

    file._file = Failing(file._file, 0)
    file.write(LINES[0])
    with pytest.raises(DiskProblem, match=os.strerror(number)) as problem:
        file.flush()
    assert "free some" not in str(problem.value)


def started_run(tmp_path, *options):
    """A run that waits for more records after its first, and the end of the pipe that it reads."""
    read, write = os.pipe()
    command = [sys.executable, "-m", "workers", "run", "-", *options]
    process = subprocess.Popen(
        list(map(str, command)),
        stdin=read,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    os.close(read)
    return process, write


def test_a_second_run_on_one_output_is_refused(templ, tmp_path):
    feed, out = pages(tmp_path / "in.jsonl", 3), tmp_path / "out.jsonl"
    process, pipe = started_run(tmp_path, "--out", out)
    while not out.exists():
        time.sleep(0.01)
    for option in ("--force", "--resume"):
        done = templ("run", feed, "--out", out, option, expect=2)
        (line,) = done.stderr.decode().splitlines()[-1:]
        assert f"--out {out} is being written by another command" in line
    os.write(pipe, feed.read_bytes())
    os.close(pipe)
    assert process.wait() == 0
    assert urls(out) == [f"https://a.com/{n}" for n in range(3)]
    templ("run", feed, "--out", out, "--force")
    templ("run", feed, "--out", "/dev/null")


def test_a_run_that_was_killed_leaves_its_state_no_longer_than_until_the_next(templ, tmp_path):
    killed, pipe = started_run(tmp_path, "--out", tmp_path / "killed.jsonl")
    running, other = started_run(tmp_path, "--out", tmp_path / "running.jsonl")
    while len(list(tmp_path.glob("templ-run-*/windows-0/CURRENT"))) < 2:
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    os.close(pipe)
    assert len(list(tmp_path.glob("templ-run-*"))) == 2
    templ("run", pages(tmp_path / "a.jsonl", 1), "--out", tmp_path / "a", TMPDIR=str(tmp_path))
    assert len(list(tmp_path.glob("templ-run-*/windows-0/CURRENT"))) == 1
    os.write(other, (tmp_path / "a.jsonl").read_bytes())
    os.close(other)
    assert running.wait() == 0
    assert not list(tmp_path.glob("templ-run-*"))


def test_a_pipe_is_not_read_twice(templ, tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    done = templ("run", tmp_path / "pipe.jsonl", "--out", tmp_path / "out", "--two-pass", expect=2)
    assert "is a pipe or device that is read only once" in done.stderr.decode()


class _SmallDisk:
    """A file on a disk with room for some bytes."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, chunk):
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._file.write(bytes(chunk)[: self._room])
        self._room -= written
        return written

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_an_output_is_not_replaced_unless_that_is_asked_for(templ, tmp_path):
    source, out = pages(tmp_path / "in.jsonl", 3), tmp_path / "out.jsonl"
    out.write_text("mine\n")
    refused = one_line(templ("run", source, "--out", out, expect=2))
    assert "--resume to go on with it, --force to replace it" in refused
    assert out.read_text() == "mine\n"
    assert "was not written by" in one_line(templ("run", source, "-o", out, "--resume", expect=2))
    (tmp_path / "other.jsonl").write_text('{"foo": 1}\n')
    templ("run", tmp_path / "other.jsonl", "--out", out, "--force", expect=66)
    assert out.read_text() == "mine\n"
    templ("run", source, "--out", out, "--force")
    assert len(urls(out)) == 3
    (tmp_path / "none.jsonl").touch()
    templ("run", tmp_path / "none.jsonl", "--out", out, "--force")
    assert not out.read_bytes()


def test_an_output_of_other_inputs_is_not_resumed(templ, tmp_path):
    source, out = pages(tmp_path / "in.jsonl", 3), tmp_path / "out.jsonl"
    events = tmp_path / "events.jsonl"
    templ("run", source, "--out", out)
    events.write_text("mine\n")
    before = out.read_bytes()
    other = pages(tmp_path / "other.jsonl", 2)
    command = ("run", other, "--out", out, "--events", events, "--resume")
    assert "has records of in.jsonl, which is no input" in one_line(templ(*command, expect=2))
    assert (out.read_bytes(), events.read_text()) == (before, "mine\n")


@pytest.mark.parametrize("with_state", [False, True])
def test_a_run_that_was_killed_goes_on_with_nothing_twice_and_nothing_missing(
    templ, tmp_path, with_state
):
    source = pages(tmp_path / "in.jsonl", 150)
    with source.open("a") as file:
        file.write('{"broken\n' + source.read_text().replace("a.com", "b.com"))
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    state = ("--state", tmp_path / "state") if with_state else ()
    command = [sys.executable, "-m", "workers", "run", source, "--out", out, *state]
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
    while not out.exists() or not out.stat().st_size:
        time.sleep(0.05)
    process.kill()
    process.wait()
    with out.open("ab") as file:
        file.write(b'{"schema": "cleaned/2", "ur')
    done = templ("run", source, "--out", out, "--resume", *state)
    assert "written before" in done.stderr.decode()
    assert urls(out) == [f"https://{site}.com/{n}" for site in "ab" for n in range(150)]
    assert len((tmp_path / "out.jsonl.dead-letters").read_bytes().splitlines()) == 1
    if not with_state:
        templ("run", source, "--out", whole)
        assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("signum", "code", "said"),
    [(signal.SIGTERM, 143, "ended by SIGTERM"), (signal.SIGINT, 130, "interrupted")],
)
def test_a_signal_is_said_and_keeps_whole_lines(tmp_path, signum, code, said):
    source, out = pages(tmp_path / "in.jsonl", 3000), tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "workers", "run", str(source), "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while not out.exists() or not out.stat().st_size:
        time.sleep(0.05)
    process.send_signal(signum)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in errors
    assert said in errors.decode().splitlines()[-1]
    cleaned_urls = urls(out)
    assert cleaned_urls == [f"https://a.com/{n}" for n in range(len(cleaned_urls))]
    assert out.read_bytes().endswith(b"\n")


def test_a_feed_of_dead_letters_does_not_end_well(templ, tmp_path):
    source = tmp_path / "in.jsonl"
    page = {"url": "https://a.com/1", "html": ARTICLE}
    write_lines(source, [page, *[{**page, "html": ""}] * 2])
    done = templ("run", source, "--out", tmp_path / "out.jsonl", expect=65)
    *_, last = done.stderr.decode().splitlines()
    assert last.startswith("templ: 2 of 3 records became dead letters, the first because: ")
    assert last.endswith("out.jsonl.dead-letters")


def test_a_resumed_run_is_judged_by_its_whole_output(templ, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    page = {"url": "https://a.com/1", "html": ARTICLE}
    good = [{**page, "url": f"https://a.com/{number}"} for number in range(3)]
    bad = [{**page, "url": f"https://a.com/bad/{number}", "html": ""} for number in range(2)]
    write_lines(source, [*good, *bad])
    templ("run", source, "--out", out)
    letters = tmp_path / "out.jsonl.dead-letters"
    whole, letter = out.read_bytes(), letters.read_bytes()
    letters.write_bytes(letter.splitlines(keepends=True)[0])
    templ("run", source, "--out", out, "--resume")
    assert (out.read_bytes(), letters.read_bytes()) == (whole, letter)
    write_lines(source, [good[0], *bad])
    templ("run", source, "--out", out, "--force", expect=65)
    *_, last = (
        templ("run", source, "--out", out, "--resume", expect=65).stderr.decode().splitlines()
    )
    assert last == f"templ: 2 of 3 records became dead letters; see {letters}"


def test_a_loop_of_links_is_told_in_a_line(templ, tmp_path):
    source, loop = pages(tmp_path / "in.jsonl", 1), tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    done = templ("run", source, "--out", loop, expect=2)
    assert "a loop of symbolic links" in one_line(done)


def test_inputs_behind_a_damaged_one_are_read(templ, tmp_path):
    first, second = tmp_path / "a.jsonl.gz", pages(tmp_path / "b.jsonl", 3)
    first.write_bytes(gzip.compress(second.read_bytes().replace(b"a.com", b"c.com"))[:-20])
    (tmp_path / "c.jsonl").write_text("url,html\n1,2\n")
    out = tmp_path / "out.jsonl"
    done = templ("run", first, tmp_path / "c.jsonl", second, "--out", out, expect=66)
    assert urls(out)[-3:] == [f"https://a.com/{n}" for n in range(3)]
    *_, one, other = done.stderr.decode().splitlines()
    assert one.startswith(f"templ: {first} is damaged after its first ")
    assert other.startswith(f"templ: {tmp_path / 'c.jsonl'} looks like a table")


def test_runs_with_one_state_do_not_take_each_others_pages_for_repeats(templ, tmp_path):
    """Two inputs of one name, or standard input twice, are different pages."""
    learned = []
    for day in ("mon", "tue"):
        folder = tmp_path / day
        folder.mkdir()
        source = pages(folder / "feed.jsonl", 10, site="a.com")
        source.write_text(source.read_text().replace("a.com/", f"a.com/{day}/"))
        templ("run", source, "-o", folder / "out.jsonl", "--state", tmp_path / "state")
        learned.append(copied_sites(tmp_path / "state")["a.com"].pages)
    assert learned == [10, 20]


def test_the_states_of_runs_and_workers_are_told_apart(templ, tmp_path):
    source = pages(tmp_path / "in.jsonl", 1)
    run, worker = tmp_path / "run", tmp_path / "worker"
    templ("run", source, "-o", tmp_path / "out.jsonl", "--state", run)
    line = one_line(templ("worker", "--broker", "127.0.0.1:1", "--state", run, expect=73))
    assert f"`templ seed {run} --broker 127.0.0.1:1`" in line
    (worker / "refresher").mkdir(parents=True)
    again = ("-o", tmp_path / "b.jsonl", "--state", worker)
    assert "of `templ worker`" in one_line(templ("run", source, *again, expect=73))
    assert [one.name for one in worker.iterdir()] == ["refresher"]


def test_folders_of_our_names_in_the_current_directory_have_no_part(tmp_path):
    for name in ("workers", "schemas", "templ_core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')")
    pages(tmp_path / "in.jsonl", 2)
    code = "import sys; sys.path[:] = [p for p in sys.path if p]; from workers.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "run", "in.jsonl", "-o", "out.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert len(urls(tmp_path / "out.jsonl")) == 2


def test_records_of_warc_files_that_are_left_out_are_counted(templ, tmp_path):
    source = tmp_path / "a.warc"
    head = b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: https://a.com/\r\nContent-Length: %d\r\n\r\n"
    blocks = [(b"request", b"GET /"), (b"metadata", b"x"), (b"resource", ARTICLE.encode())]
    records = [head % (kind, len(block)) + block for kind, block in blocks * 2]
    source.write_bytes(b"".join(record + b"\r\n\r\n" for record in records))
    done = templ("run", source, "--out", tmp_path / "out.jsonl")
    assert "left out of WARC files: 2 metadata, 2 request\n" in done.stderr.decode()
    assert len(urls(tmp_path / "out.jsonl")) == 2


def test_a_run_without_an_output_is_resumed_from_the_beginning(tmp_path):
    outputs = RunOutputs(tmp_path / "out.jsonl", tmp_path / "letters", resumes=["in.jsonl"])
    assert outputs.count_before == 0
    outputs.close()
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_run_without_records_says_so(templ, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert one_line(templ("run", empty, "--out", tmp_path / "out.jsonl")).startswith("there are no")


def test_the_summary_counts_what_was_replaced_and_guessed(templ, tmp_path):
    story = "<p>" + "A sentence of some words, and then some more of them. " * 10
    records = [
        {"url": "https://a.example/1", "html": story, "fetched_at": "2026-01-05"},
        {"url": "https://a.example/1", "html": story, "fetched_at": "2026-01-05"},
        {"url": "https://a.example/2", "html": story, "fetched_at": "soon"},
        {"url": "https://a.example/3", "html": story, "fetched_at": "2999-01-01"},
        {"url": "pages/4.html", "html": story},
        {"url": "pages/5.html", "html": "<link rel=canonical href=https://b.example/5>" + story},
        {"url": "https://a.example/6", "html": json.dumps({"text": story})},
    ]
    source = write_lines(tmp_path / "in.jsonl", records)
    said = templ("run", source, "--out", tmp_path / "out.jsonl").stderr.decode().splitlines()
    assert "3 pages without a fetch time, ordered as if fetched with the page before" in said
    assert any(one.startswith("1 page with a fetch time that cannot be read, ") for one in said)
    assert "1 page with a fetch time in the future, ordered as if fetched now" in said
    assert "1 page of the site `local`, for want of a host in the URL" in said
    assert "1 page with JSON in place of HTML: it was cleaned as text" in said
    assert "1 page that came before with the same URL and the same bytes" in said
    assert urls(tmp_path / "out.jsonl")[5] == "https://b.example/5"


def test_a_last_line_that_is_cut_off_is_told_at_the_end(templ, tmp_path):
    source = pages(tmp_path / "in.jsonl", 4)
    source.write_bytes(source.read_bytes()[:-20])
    out = tmp_path / "out.jsonl"
    done = templ("run", source, "--out", out, expect=66)
    assert "is cut off in its last line, after its first 3 records" in done.stderr.decode()
    assert len(urls(out)) == 3
    assert len((tmp_path / "out.jsonl.dead-letters").read_bytes().splitlines()) == 1


@pytest.mark.parametrize("name", ["notes.json", "out.jsonl.gz"])
def test_a_file_of_something_else_is_not_gone_on_with(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b'{"a": "file without a line feed"}')
    file = RecordFile("--out", path, resumes=True)
    with pytest.raises(UsageProblem, match="has no whole line to go on from"):
        list(file.lines_before())
    assert path.read_bytes() == b'{"a": "file without a line feed"}'


def test_an_output_is_emptied_when_it_is_written_or_flushed(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"of an earlier run\n")
    file = RecordFile("--out", path)
    file.close()
    assert path.read_bytes() == b"of an earlier run\n"
    file = RecordFile("--out", path)
    file.flush()
    file.close()
    assert path.read_bytes() == b""


def test_a_parquet_file_has_a_row_for_each_page_that_passes_the_filters(templ, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    feed, out = tmp_path / "feed.jsonl", tmp_path / "out.parquet"
    templ("simulate", "--readable", "--sites", 3, "--pages", 30, "--out", feed)
    command = ("run", feed, "--out", out, "--format", "markdown", "--with-content")
    templ(*command, "--language", "en")
    rows = parquet.read_table(out).to_pylist()
    assert len(rows) == 30
    for row in rows:
        assert row["language"] == "en"
        assert row["markdown"].startswith("#")
        assert len(row["fingerprint"]) == 16
        assert 0 <= row["quality_soft_404"] < 0.5
    said = templ(*command, "--force", "--language", "de").stderr.decode()
    assert "30 pages left out by the filters" in said
    assert parquet.read_table(out).num_rows == 0
    wrong = templ(*command, "--force", "--revisions", expect=2).stderr.decode()
    assert "a Parquet file has one row a page" in wrong
    templ(*command, "--force", "--language", "en-GB", "--chunks")
    row = parquet.read_table(out).to_pylist()[0]
    assert json.loads(row["chunks"])[0].keys() == {"id", "headings", "markdown"}
    assert (row["segments"], row["duplicate_of"]) == (None, None)


def test_a_parquet_file_on_a_full_disk_is_a_problem_of_the_disk(templ, tmp_path):
    pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    feed, out = tmp_path / "feed.jsonl", tmp_path / "out.parquet"
    templ("simulate", "--sites", 1, "--pages", 2, "--out", feed)
    out.symlink_to("/dev/full")
    said = templ("run", feed, "--out", out, expect=74).stderr.decode()
    assert f"--out {out}: No space left on device; free some disk space" in said


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.parquet"])
def test_a_place_that_is_read_only_asks_for_another(tmp_path, monkeypatch, name):
    def refuse(*_arguments, **_options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    monkeypatch.setattr(parquet, "ParquetWriter", refuse)
    monkeypatch.setattr(record_file, "open", refuse, raising=False)
    with pytest.raises(UsageProblem, match="Read-only file system; give a file"):
        RunOutputs(tmp_path / name, tmp_path / "dead", None)
