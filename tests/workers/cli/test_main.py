"""Errors end the command with one line."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from workers.cli import main as command
from workers.log_forms import LogSetUp


@pytest.mark.parametrize("set_up", [None, LogSetUp("run")])
def test_an_unforeseen_error_is_one_line_that_names_the_file_of_its_traceback(
    monkeypatch, capsys, tmp_path, set_up
):
    def fail(**_options):
        raise KeyError("a fault\nof ours")

    monkeypatch.setattr(command.templ, "main", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(command, "present_set_up", lambda: set_up)
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 70
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert message.startswith("templ: a fault of templ itself: KeyError")
    (path,) = re.findall(r"the traceback is in (\S+),", message)
    assert Path(path).parent == tmp_path
    written = Path(path).read_text()
    assert "Traceback (most recent call last)" in written
    assert "in fail" in written


def test_an_unforeseen_error_of_a_worker_is_logged_with_its_traceback(monkeypatch, capsys, caplog):
    def fail(**_options):
        raise KeyError("a fault of ours")

    monkeypatch.setattr(command.templ, "main", fail)
    monkeypatch.setattr(command, "present_set_up", lambda: LogSetUp("cleaner"))
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 70
    (record,) = caplog.records
    assert record.exc_info[0] is KeyError
    assert capsys.readouterr().err == ""


def test_the_help_page_imports_no_command():
    script = (
        "import sys; from workers.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name in ('numpy', 'workers.cli.run')))"
    )
    page = subprocess.run(
        [sys.executable, "-c", script, "--help"], check=True, capture_output=True, text=True
    ).stdout
    assert page.splitlines()[-1] == "[]"
    for name in command.templ.list_commands(click.Context(command.templ)):
        assert re.search(rf"^  {name} +\w", page, re.MULTILINE)
