import numpy as np
import pytest

from templ_core.lab.evaluation.precision_recall import (
    curve_of_histograms,
    curve_of_scores,
    recall_at,
    score_histogram,
)


def histogram(templateness, words, content):
    return score_histogram(np.array(templateness), np.array(words, float), np.array(content, float))


def test_the_curve_has_a_point_for_every_threshold_that_finds_text():
    curve = curve_of_histograms([histogram([0.1, 0.2, 0.9], [6, 2, 2], [1, 0, 1])])
    points = {point.threshold: (point.precision, point.recall) for point in curve}
    assert min(points) == 0.1
    assert points[0.1] == pytest.approx((1, 6 / 8))
    assert points[0.5] == pytest.approx((6 / 8, 6 / 8))
    assert points[1.0] == pytest.approx((8 / 10, 1))
    assert recall_at(curve, 0.9) == pytest.approx(0.75)
    assert recall_at(curve, 0.8) == pytest.approx(1)
    assert recall_at(curve, 1.1) == 0


def test_long_and_short_pages_have_equal_weight():
    good, bad = ([0.0, 1.0], [1, 1], [1, 0]), ([0.0, 1.0], [1000, 1000], [0, 1])
    curve = curve_of_histograms([histogram(*good), histogram(*bad)])
    assert curve[0].precision == pytest.approx(0.5)


def test_pages_without_scored_words_make_no_curve():
    assert histogram([0.5], [0], [1]).sum() == 0
    assert curve_of_histograms([histogram([0.5], [0], [1])]) == []


def test_the_curve_agrees_with_direct_counting():
    rng = np.random.default_rng(0)
    templateness, words = rng.integers(0, 101, 300) / 100, rng.integers(1, 40, 300)
    content = rng.random(300)
    for point in curve_of_histograms([histogram(templateness, words, content)]):
        kept = templateness <= point.threshold + 1e-9
        both = (words * content)[kept].sum()
        assert point.precision == pytest.approx(both / words[kept].sum())
        assert point.recall == pytest.approx(both / (words * content).sum())


def test_the_curve_of_scores_has_a_point_for_each_different_score():
    score, positive = np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, False, True, True])
    curve = curve_of_scores(score, positive, np.ones(4))
    assert [point.threshold for point in curve] == [0.9, 0.8, 0.1]
    assert [point.precision for point in curve] == pytest.approx([1, 2 / 3, 3 / 4])
    assert [point.recall for point in curve] == pytest.approx([1 / 3, 2 / 3, 1])
    assert recall_at(curve, 0.99) == pytest.approx(1 / 3)
    assert recall_at(curve[1:], 0.99) == 0


def test_scores_without_positives_make_no_curve():
    assert curve_of_scores(np.array([0.5]), np.array([False]), np.ones(1)) == []
