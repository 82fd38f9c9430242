"""Copies of simulated articles in the templates of other simulated sites are found, and nothing else is."""

from click.testing import CliRunner

from tests.quality.mirrors import read_mirrors
from workers.lab.simulate_feed import simulate

PRECISION_MIN, RECALL_MIN = 0.98, 0.85
COPIES = 100


def test_copies_are_found_and_nothing_else_is(tmp_path):
    path = tmp_path / "pages.jsonl"
    arguments = ["--sites", "8", "--pages", "480", "--out", str(path)]
    assert CliRunner().invoke(simulate, arguments).exit_code == 0
    mirrors = read_mirrors([path], COPIES, seed=0, workers=2)
    right, wrong = mirrors.right(), mirrors.wrong()
    assert len(mirrors.originals) >= COPIES // 2
    assert right / (right + len(wrong)) >= PRECISION_MIN
    assert right / len(mirrors.originals) >= RECALL_MIN
