import numpy as np
import pytest

from templ_core.lab.papers.kolcz_yih.cross_site import (
    balanced,
    cross_site_scores,
    precision_recall,
    recall_at,
    thinned_curve,
)
from templ_core.lab.papers.kolcz_yih.fit_block_detector import BlockSample, ForestSettings


def test_precision_and_recall_by_hand():
    score = np.array([0.9, 0.8, 0.8, 0.1])
    template = np.array([True, False, True, True])
    precision, recall = precision_recall(score, template, np.ones(4))
    assert precision.tolist() == [1, 2 / 3, 3 / 4]
    assert recall == pytest.approx([1 / 3, 2 / 3, 1])
    assert recall_at(precision, recall, 0.75) == 1
    assert recall_at(precision, recall, 0.99) == pytest.approx(1 / 3)
    assert recall_at(precision[1:], recall[1:], 0.99) == 0


def test_balanced_classes_weigh_the_same():
    template = np.array([True] * 9 + [False])
    weight = balanced(template)
    assert weight[template].sum() == pytest.approx(weight[~template].sum())


def test_a_thinned_curve_keeps_its_ends():
    recall = np.linspace(0.001, 1, 1000)
    curve = thinned_curve(1 - recall / 2, recall, 11)
    assert len(curve) == 11
    assert curve[-1] == (1.0, 0.5)


def test_detectors_never_see_the_site_they_score():
    """A word that marks the class on one site only must not help there."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(20), 20)
    template = rng.random(400) < 0.5
    sample = BlockSample(
        features=["noise"],
        rows=rng.random((400, 1)).astype(np.float32),
        template=template,
        site=site,
        word=site * 2 + template,
        word_row=np.arange(400),
    )
    scores = cross_site_scores(sample, 0, lambda _: None, ForestSettings(trees=5))
    for score in scores.values():
        right = (score > np.median(score)) == template
        assert right.mean() < 0.65
