import numpy as np
import pytest

from templ_core.lab.papers.pagelevel import variants
from templ_core.lab.papers.pagelevel.variants import penalties, smooth_nodes
from templ_core.page_level.smoothing.isotonic import smooth

PARENT = np.array([-1, 0, 1, 1, 0, 4], np.int32)
AREA = np.array([9e4, 4e4, 1e3, 3e4, 5e4, 0])


def test_the_papers_three_penalties():
    assert penalties("area", 0.01, PARENT, AREA)[:5] == pytest.approx(
        [0.01, 0.0225, 0.9, 0.03, 0.018]
    )
    assert penalties("nodes", 0.5, PARENT, AREA) == pytest.approx([0.5, 1, 3, 3, 1.5, 3])
    by_parent = penalties("parent-area", 1, PARENT, AREA)
    assert by_parent[:5] == pytest.approx([1, 2.25, 40, 4 / 3, 1.8])
    assert by_parent[5] == np.inf


def test_hidden_nodes_weigh_in_their_parent_and_share_its_score(monkeypatch):
    seen = {}

    def smoother(parent, score, weight, penalty):
        seen.update(score=score.tolist(), weight=weight.tolist())
        return smooth(parent, score, weight, penalty)

    score = np.array([0.1, 0.9, 0.2, np.nan, 0.3, 0.8])
    monkeypatch.setattr(variants, "smooth", smoother)
    smoothed = smooth_nodes(PARENT, score, AREA.clip(1), np.zeros(6))
    assert seen == {"score": [0.1, 0.9, 0.3], "weight": [1, 2, 2]}
    assert smoothed.section.tolist() == [0, 1, 1, 1, 2, 2]
    assert smoothed.score == pytest.approx([0.1, 0.9, 0.9, 0.9, 0.3, 0.3], abs=0.01)


def test_a_node_without_area_keeps_its_score_and_weighs_nothing():
    score = np.array([0.1, 0.9, 0.2, np.nan, 0.3, 0.8])
    smoothed = smooth_nodes(PARENT, score, AREA, np.zeros(6))
    assert smoothed.score == pytest.approx([0.1, 0.9, 0.9, 0.9, 0.3, 0.8], abs=0.01)
    one_more = np.array([0.1, 0.9, 0.2, 0.5, 0.3, 0.8])
    shown = AREA * [1, 1, 1, 0, 1, 1]
    smoothed = smooth_nodes(PARENT, one_more, shown, np.zeros(6))
    assert smoothed.score[3] == 0.5


def test_a_page_without_scores_is_one_section():
    smoothed = smooth_nodes(PARENT, np.full(6, np.nan), AREA, np.ones(6))
    assert set(smoothed.section.tolist()) == {0}
