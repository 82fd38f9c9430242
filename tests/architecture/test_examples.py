"""The examples in docstrings are run with the tests."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_module_with_an_example_is_collected():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    collected = [ROOT / path for path in settings["tool"]["pytest"]["testpaths"]]
    assert all(path.exists() for path in collected)
    modules = [one for name in ("schemas", "workers") for one in (ROOT / name).rglob("*.py")]
    left_out = [
        str(one.relative_to(ROOT))
        for one in modules
        if ">>> " in one.read_text() and not any(one.is_relative_to(path) for path in collected)
    ]
    assert not left_out
