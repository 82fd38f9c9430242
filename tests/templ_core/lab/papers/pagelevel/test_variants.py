import numpy as np
import pytest

from templ_core.lab.papers.pagelevel.variants import basic, basic_merge


def test_basic_leaves_each_segment_alone():
    variant = basic(np.array([0.5, 0.51, 0.1]))
    assert variant.group.tolist() == [0, 1, 2]
    assert variant.kept.tolist() == [True, False, True]


def test_merge_joins_neighbours_closer_than_delta():
    scores, words = np.array([0.1, 0.3, 0.9, 0.8, 0.1]), np.array([3.0, 1, 1, 1, 1])
    variant = basic_merge(scores, words, 0.25)
    assert variant.group.tolist() == [0, 0, 1, 1, 2]
    assert variant.templateness == pytest.approx([0.15, 0.15, 0.85, 0.85, 0.1])
    assert basic_merge(scores, words, 0.2 - 1e-9).group.tolist() == [0, 1, 2, 2, 3]
    assert set(basic_merge(scores, words, 1.1).group) == {0}
