import numpy as np
import pytest

from templ_core.lab.papers.pagelevel.variants import basic_merge_variant, basic_variant


def test_basic_puts_each_segment_into_a_group_of_its_own():
    variant = basic_variant(np.array([0.5, 0.51, 0.1]))
    assert variant.group.tolist() == [0, 1, 2]
    assert variant.kept.tolist() == [True, False, True]


def test_basic_merge_groups_neighbours_with_similar_scores():
    scores, words = np.array([0.1, 0.3, 0.9, 0.8, 0.1]), np.array([3.0, 1, 1, 1, 1])
    variant = basic_merge_variant(scores, words, 0.25)
    assert variant.group.tolist() == [0, 0, 1, 1, 2]
    assert variant.templateness == pytest.approx([0.15, 0.15, 0.85, 0.85, 0.1])
    assert basic_merge_variant(scores, words, 0.2 - 1e-9).group.tolist() == [0, 1, 2, 2, 3]
    assert set(basic_merge_variant(scores, words, 1.1).group) == {0}
