import numpy as np
import pytest

from templ_core.lab.evaluation.precision_recall import precision_recall, recall_at, score_histogram


def histogram(templateness, words, content):
    return score_histogram(np.array(templateness), np.array(words, float), np.array(content, float))


def test_a_point_for_every_threshold():
    curve = precision_recall([histogram([0.1, 0.2, 0.9], [6, 2, 2], [1, 0, 1])])
    points = {point.threshold: (point.precision, point.recall) for point in curve}
    assert min(points) == 0.1
    assert points[0.1] == pytest.approx((1, 6 / 8))
    assert points[0.5] == pytest.approx((6 / 8, 6 / 8))
    assert points[1.0] == pytest.approx((8 / 10, 1))
    assert recall_at(curve, 0.9) == pytest.approx(0.75)
    assert recall_at(curve, 0.8) == pytest.approx(1)
    assert recall_at(curve, 1.1) == 0


def test_pages_weigh_the_same_whatever_their_size():
    good, bad = ([0.0, 1.0], [1, 1], [1, 0]), ([0.0, 1.0], [1000, 1000], [0, 1])
    curve = precision_recall([histogram(*good), histogram(*bad)])
    assert curve[0].precision == pytest.approx(0.5)


def test_a_page_without_scored_words_says_nothing():
    assert histogram([0.5], [0], [1]).sum() == 0
    assert precision_recall([histogram([0.5], [0], [1])]) == []


def test_precision_and_recall_agree_with_counting():
    rng = np.random.default_rng(0)
    templateness, words = rng.integers(0, 101, 300) / 100, rng.integers(1, 40, 300)
    content = rng.random(300)
    for point in precision_recall([histogram(templateness, words, content)]):
        kept = templateness <= point.threshold + 1e-9
        both = (words * content)[kept].sum()
        assert point.precision == pytest.approx(both / words[kept].sum())
        assert point.recall == pytest.approx(both / (words * content).sum())
