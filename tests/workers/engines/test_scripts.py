"""The scripts of docs/engines.md run as they stand."""

import gzip
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.workers.builders import write_lines
from workers.lab.simulate.feed import FeedSettings, simulate_feed

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text()
SCRIPTS = dict(re.findall(r"```python\n# (\S+\.py)\n(.*?)```", PAGE, re.DOTALL))
ENGINES = {
    "clean_with_datatrove.py": "datatrove",
    "clean_with_spark.py": "pyspark",
    "clean_with_ray.py": "ray",
}


def test_each_script_is_run_here():
    assert SCRIPTS.keys() == ENGINES.keys()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ENGINES)
def test_a_script_cleans_the_pages_of_the_simulator(name, tmp_path):
    if find_spec(ENGINES[name]) is None:
        pytest.skip(f"the extra `{ENGINES[name]}` is not installed; see `make engines`")
    pages = list(simulate_feed(FeedSettings(readable=True, sites=6, pages=36, seed=2)))
    write_lines(tmp_path / "pages.jsonl", (one.record() for one in pages))
    (tmp_path / name).write_text(SCRIPTS[name])
    done = subprocess.run(
        [sys.executable, name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = list(written(tmp_path))
    assert len(rows) == len({one.url for one in pages})
    for row in rows:
        assert row["text"]
        assert row["markdown"].startswith("#")
        assert row["language"] == "en"
        assert row["has_content"]


def written(folder):
    """What a script has written, as one dict a page."""
    for path in (folder / "cleaned").glob("*.gz"):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            document = json.loads(line)
            yield {"text": document["text"], **document["metadata"]}
    for name in ("cleaned-spark", "cleaned-ray"):
        if (folder / name).exists():
            from pyarrow import parquet

            yield from parquet.read_table(folder / name).to_pylist()
