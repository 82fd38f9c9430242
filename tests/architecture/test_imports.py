"""The product can be imported where the packages that only the laboratory needs are not installed, and its parents of
children without those that only the children need."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("templ_core", "schemas", "workers")
LABORATORIES = ("templ_core.lab", "workers.lab")
LABORATORY_PACKAGES = (
    "extruct", "htmldate", "justext", "readability", "scipy", "sklearn", "trafilatura",
)  # fmt: skip

IMPORT_ALL = """
import importlib
import sys


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in BLOCKED):
            raise ImportError(f"{name} is blocked")


BLOCKED, MODULES = (arguments.split(",") for arguments in sys.argv[1:])
sys.meta_path.insert(0, Blocked())
for module in MODULES:
    importlib.import_module(module)
print(len(MODULES))
"""


WITH_ENGINE = ("workers.engines.datatrove_steps", "workers.engines.nemo_curator_stages")
"""Modules whose classes are those of an engine that is not in the default set-up."""


def product_modules():
    """Return the names of all modules outside the laboratories that need no engine."""
    paths = [path for top in PACKAGES for path in (ROOT / top).rglob("*.py")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return sorted(
        name.removesuffix(".__init__")
        for name in names
        if not name.startswith((*LABORATORIES, *WITH_ENGINE)) and not name.endswith(".__main__")
    )


def import_all(blocked, modules):
    """Import modules in a new interpreter that cannot import the blocked ones."""
    return subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, ",".join(blocked), ",".join(modules)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_product_imports_without_the_laboratory_and_its_packages():
    modules = product_modules()
    assert {"templ_core.clean_document", "workers.cli.run", "workers.kafka.run_role"} <= set(
        modules
    )
    done = import_all((*LABORATORIES, *LABORATORY_PACKAGES), modules)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(modules))]


def test_blocked_packages_cannot_be_imported():
    done = import_all(LABORATORY_PACKAGES, ["templ_core.lab.training.fit"])
    assert done.returncode != 0
    assert "is blocked" in done.stderr


def test_processes_that_hand_pages_to_children_need_no_numpy():
    modules = ["workers.cli.run", "workers.kafka.run_role"]
    done = import_all(["numpy", "lxml", "pydivsufsort"], modules)
    assert done.returncode == 0, done.stderr


def test_what_is_run_by_hand_beside_the_tests_imports():
    paths = [path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")]
    for path in paths:
        if path.name != "conftest.py":
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
