"""The command line as a whole: errors are one line, help needs no extra, and settings are listed."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import workers.__main__
from workers.child_program import CLEANING
from workers.cli import lazy
from workers.cli import main as command
from workers.cli.main import _EXTRAS, templ
from workers.cli.settings import settings_command
from workers.errors import BrokerProblem, UsageProblem
from workers.log_forms import LogSetUp
from workers.settings import setting_types


@pytest.mark.parametrize("set_up", [None, LogSetUp("run"), LogSetUp("cleaner")])
def test_an_unforeseen_error_is_one_line_or_logged_by_a_worker_with_its_traceback(
    monkeypatch, capsys, caplog, tmp_path, set_up
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
    if set_up == LogSetUp("cleaner"):
        (record,) = caplog.records
        assert (record.exc_info[0], message) == (KeyError, "")
        return
    assert message.count("\n") == 1
    assert message.startswith("templ: a fault of templ itself: KeyError")
    (path,) = re.findall(r"the traceback is in (\S+),", message)
    assert Path(path).parent == tmp_path
    written = Path(path).read_text()
    assert "Traceback (most recent call last)" in written
    assert "in fail" in written


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [("clean page.html", True), ("clean --help", False), ("clean a -h", False), ("run a", False)],
)
def test_only_a_page_to_clean_has_its_child_started_ahead(monkeypatch, arguments, starts):
    started = []
    monkeypatch.setattr(sys, "argv", ["templ", *arguments.split()])
    monkeypatch.setattr("workers.__main__.start_ahead", started.append)
    monkeypatch.setattr(command, "main", lambda: None)
    workers.__main__.main()
    assert started == [CLEANING] * starts


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


@pytest.mark.parametrize("name", command._COMMANDS)
def test_a_command_imports_what_it_needs_by_itself(templ_process, name):
    """Most tests run commands in a process that has imported all of them."""
    assert templ_process(name, "--help").stdout.startswith(
        f"Usage: python -m workers {name} ".encode()
    )


@pytest.fixture
def without(monkeypatch):
    def hide(package):
        monkeypatch.setattr(
            lazy, "find_spec", lambda name: None if name == package else find_spec(name)
        )

    return hide


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [("worker", "faust", "kafka"), ("topics", "aiokafka", "kafka"), ("evaluate", "scipy", "lab")],
)
def test_a_command_without_its_extra_says_which_to_install(without, command, package, extra):
    without(package)
    result = CliRunner().invoke(templ, [command, "--some", "option"])
    assert isinstance(result.exception, UsageProblem)
    assert str(result.exception) == (
        f"{command} needs {package}, which is not installed: "
        f"install templ-worker with its extra `{extra}`"
    )


def test_the_help_page_does_without_extras(without):
    without("faust")
    result = CliRunner().invoke(templ, ["--help"])
    assert result.exit_code == 0
    assert "worker        Not installed: needs the extra `kafka`." in result.output
    assert "run           Clean pages from files" in result.output


def test_every_extra_has_as_many_packages_as_it_installs():
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    declared = project["optional-dependencies"]
    of_an_option = {"opensearch"}
    assert set(lazy._PACKAGES) == of_an_option | set(_EXTRAS.values())
    for extra, packages in lazy._PACKAGES.items():
        assert len(packages) == len(declared[extra])


NOBODY = "127.0.0.1:9"


@pytest.mark.parametrize(
    "command",
    [
        "inspect site example.com", "inspect page https://example.com/ --out {out}/page.html",
        "site override example.com --keep p", "site export example.com --out {out}/site",
        "dlq list", "dlq redrive", "status", "topics check", "seed --from-prefix old.",
        "index --index {out}/index.db", "feed --from-topic pages --to {out}/pages.jsonl",
    ],
)  # fmt: skip
def test_a_command_without_a_broker_ends_with_one_line(command, tmp_path):
    arguments = command.format(out=tmp_path).split()
    asked = CliRunner().invoke(templ, [*arguments, "--broker", NOBODY])
    assert isinstance(asked.exception, BrokerProblem)
    said = str(asked.exception)
    assert said.startswith(f"cannot reach Kafka at {NOBODY}: {NOBODY} does not listen")
    assert "\n" not in said


PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


def listed(form, **environment):
    done = CliRunner().invoke(settings_command, ["--as", form], env=environment)
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_every_setting_is_listed_with_its_meaning():
    settings = {one["name"]: one for one in json.loads(listed("json"))}
    assert list(settings) == list(setting_types())
    assert all(one["meaning"].endswith((".", "`.")) and one["default"] for one in settings.values())
    assert settings["window_age_ms"]["default"] == "14d"
    assert settings["window_age_ms"]["unit"] == "milliseconds"


def test_what_is_given_is_shown_and_secrets_are_not():
    text = listed(
        "text",
        TEMPL_WINDOW_AGE_MS="7d",
        TEMPL_SASL_PASSWORD="hunter2",
        TEMPL_SASL_MECHANISM="PLAIN",
    )
    assert "Here: 7d, by TEMPL_WINDOW_AGE_MS" in text
    assert "hunter2" not in text


def test_the_toml_file_holds_the_defaults(tmp_path, monkeypatch):
    lines = listed("toml").splitlines()
    path = tmp_path / "templ.toml"
    path.write_text(
        "\n".join(
            line.removeprefix("# ")
            for line in lines
            if line.partition(" = ")[0].removeprefix("# ") in setting_types()
        )
    )
    assert tomllib.loads(path.read_text()).keys() == setting_types().keys()
    text = listed("text", TEMPL_SETTINGS=str(path))
    assert text.count("    Here: ") > 30


def test_the_page_of_the_settings_is_what_the_command_prints():
    assert listed("markdown") == PAGE.read_text("utf-8")


def test_a_command_raises_its_limit_of_open_files():
    program = """
import resource, sys
from workers.cli import main as command
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))
command.templ.main = lambda **_: print(*resource.getrlimit(resource.RLIMIT_NOFILE))
command.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"300", b"300"]
