"""The command `templ simulate`."""

import gzip
import json
import lzma

import pytest
from click.testing import CliRunner

from workers.errors import UsageProblem
from workers.lab.simulate_feed import simulate


def _run(*arguments: str):
    return CliRunner().invoke(simulate, [*arguments], catch_exceptions=True)


def test_writes_json_lines_plain_and_compressed(tmp_path):
    common = ("--sites", "3", "--pages", "8", "--seed", "4", "--redesign-day", "2", "--days", "4")
    lines = {}
    for suffix, opened in (("jsonl", open), ("jsonl.gz", gzip.open), ("jsonl.xz", lzma.open)):
        out = tmp_path / f"feed.{suffix}"
        result = _run(*common, "--out", str(out))
        assert result.exit_code == 0, result.output
        assert "8 pages of 3 sites" in result.stderr
        assert result.stdout == ""
        with opened(out, "rt", encoding="utf-8") as file:
            lines[suffix] = file.readlines()
    assert lines["jsonl"] == lines["jsonl.gz"] == lines["jsonl.xz"]
    records = [json.loads(line) for line in lines["jsonl"]]
    assert len(records) == 8
    assert {record["design"] for record in records} == {0, 1}


def test_compressed_files_are_reproducible(tmp_path):
    out = tmp_path / "feed.jsonl.gz"
    arguments = ("--sites", "2", "--pages", "3", "--out", str(out))
    _run(*arguments)
    first = out.read_bytes()
    _run(*arguments)
    assert out.read_bytes() == first


def test_the_start_date_is_used(tmp_path):
    out = tmp_path / "feed.jsonl"
    _run(
        "--sites", "1", "--pages", "2", "--days", "0.1", "--start", "2025-02-03", "--out", str(out)
    )
    record = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert record["fetched_at"].startswith("2025-02-03T")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--sites", "0"), "--sites"),
        (("--pages", "-1"), "--pages"),
        (("--days", "-2"), "--days"),
        (("--redesign-day", "-1"), "--redesign-day"),
        (("--missing-share", "1.5"), "--missing-share"),
        (("--start", "soon"), "--start"),
    ],
)
def test_an_invalid_option_is_refused_in_one_line(tmp_path, arguments, word):
    result = _run(*arguments, "--out", str(tmp_path / "feed.jsonl"))
    assert isinstance(result.exception, UsageProblem)
    assert word in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not (tmp_path / "feed.jsonl").exists()


def test_missing_directories_are_created_or_the_error_names_the_option(tmp_path):
    assert _run("--pages", "1", "--out", str(tmp_path / "new" / "feed.jsonl")).exit_code == 0
    assert (tmp_path / "new" / "feed.jsonl").exists()
    (tmp_path / "file").write_text("")
    result = _run("--pages", "1", "--out", str(tmp_path / "file" / "feed.jsonl"))
    assert isinstance(result.exception, UsageProblem)
    assert "--out" in str(result.exception)
