"""The files of `deploy/`, and the tools that judge them."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.dockerfile import read_steps

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "templ"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
DOCKERFILE = DEPLOY / "image" / "Dockerfile"
UNIT = DEPLOY / "systemd" / "templ-worker@.service"
TOOLS = ROOT / ".cache" / "deploy-tools"
"""Where `make deploy-check` puts tools."""


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file."""
    return yaml.safe_load(path.read_text())


def image_steps(instruction: str) -> list[str]:
    """Return the arguments of all steps of an instruction of the Dockerfile."""
    return [step.value for step in read_steps(DOCKERFILE) if step.instruction == instruction]


def unit_values(name: str) -> list[str]:
    """Return the values of a directive of the unit, in order."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)


def needed_tool(name: str) -> str:
    """Return the path of a tool; the test is skipped where there is none."""
    places = [str(TOOLS), str(Path(sys.executable).parent)]
    places += [os.environ[name] for name in ("PROMETHEUS_DIR", "PATH") if name in os.environ]
    program = shutil.which(name, path=os.pathsep.join(places))
    if program is None:
        pytest.skip(f"needs {name}; see CONTRIBUTING.md")
    return program
