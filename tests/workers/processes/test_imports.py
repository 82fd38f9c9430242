"""Processes import only what they use, because imports are most of the time that they take to start."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("workers.cli.clean", {"numpy", "lxml", "rocksdict"}),
        ("workers.processes.child", {"pydantic", "rocksdict", "concurrent.futures"}),
    ],
)
def test_a_process_imports_only_what_it_uses(module, unused):
    program = f"import sys, {module}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not unused & set(found.stdout.decode().split())
