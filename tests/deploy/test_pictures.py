"""The pictures of the repository are those that `make pictures` takes today."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.browser import needs_chromium, read_png

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "deploy" / "pictures"
BLOCK_PX = 40


def blocks(path):
    """Mean brightness of the squares of a picture, 0 to 255; fonts differ from machine to machine."""
    pixels = read_png(path.read_bytes()).mean(axis=2)
    high, wide = (size // BLOCK_PX for size in pixels.shape)
    cut = pixels[: high * BLOCK_PX, : wide * BLOCK_PX]
    return cut.reshape(high, BLOCK_PX, wide, BLOCK_PX).mean(axis=(1, 3))


def points(path):
    """The points of the two lines of the learning curve, in pixels from the upper left corner."""
    lines = re.findall(r'<polyline class="line" points="([^"]*)"', path.read_text())
    assert len(lines) == 2
    return np.array([[list(map(float, pair.split(","))) for pair in one.split()] for one in lines])


@needs_chromium
@pytest.mark.timeout(540)
def test_the_pictures_show_what_is_seen_today(tmp_path):
    done = subprocess.run(
        [
            "make",
            "--old-file=.venv/.ready",
            "pictures",
            f"PICTURES={tmp_path}",
            f"OUT={tmp_path}/out",
            "CONSOLE_PORT=9391",
        ],  # the environment of the tests is not installed again
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert {one.name for one in KEPT.iterdir()} == {"tour.png", "console.png", "learning-curve.svg"}
    for name in ("tour.png", "console.png"):
        kept, taken = blocks(KEPT / name), blocks(tmp_path / name)
        assert kept.shape == taken.shape
        assert np.abs(kept - taken).mean() < 10, f"{name} is stale: run `make pictures`"
    kept, taken = (points(folder / "learning-curve.svg") for folder in (KEPT, tmp_path))
    assert kept.shape == taken.shape
    assert np.abs(kept - taken).max() < 16, "learning-curve.svg is stale: run `make pictures`"
