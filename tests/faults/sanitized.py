"""Reads mutated values and hostile pages with compiled modules that the address sanitizer watches.

`make sanitize` or `python -m tests.faults.sanitized --cases 2000` copies the sources to a folder, builds
the compiled modules there, and runs `tests.faults.mutated_values` and the tests of hostile pages. An
access outside of an array ends a process, which is reported. It needs gcc and takes some ten minutes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PARTS = ("schemas", "templ_core", "workers", "tests", "deploy")
_FILES = ("setup.py", "pyproject.toml", "README.md")
_WATCH = "-fsanitize=address -fno-omit-frame-pointer -g1"


def build(folder: Path) -> dict[str, str]:
    """Build the sources in a folder, and return the environment in which they run there."""
    for part in _PARTS:
        skipped = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / part, folder / part, ignore=skipped, dirs_exist_ok=True)
    for file in _FILES:
        shutil.copy(ROOT / file, folder / file)
    built = os.environ | {"CFLAGS": _WATCH, "LDFLAGS": "-fsanitize=address"}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env=built, check=True)
    library = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    return os.environ | {
        "LD_PRELOAD": library.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
    }


def main() -> int:
    """Build, run both checks, and return 0 if neither has found anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000, help="values of each codec")
    parser.add_argument(
        "--folder", type=Path, help="where to build; a temporary folder if left out"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        environment = build(folder)
        codes = [
            subprocess.run(
                [sys.executable, "-m", *command], cwd=folder, env=environment, check=False
            )
            for command in (
                ["tests.faults.mutated_values", "--cases", str(options.cases)],
                ["pytest", "-q", "-x", "tests/templ_core/test_hostile_pages.py"],
            )
        ]
    return int(any(code.returncode for code in codes))


if __name__ == "__main__":
    sys.exit(main())
