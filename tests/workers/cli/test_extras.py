import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from workers.cli import lazy
from workers.cli.main import _EXTRAS, templ
from workers.errors import UsageProblem


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
