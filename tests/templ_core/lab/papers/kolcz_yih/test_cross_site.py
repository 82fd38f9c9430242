import numpy as np
import pytest

from templ_core.lab.evaluation.precision_recall import CurvePoint
from templ_core.lab.papers.kolcz_yih.block_detector import (
    BlockSample,
    ForestSettings,
    balanced,
    cross_site_scores,
    thinned_curve,
)


def test_balanced_weights_give_both_classes_the_same_total():
    template = np.array([True] * 9 + [False])
    weight = balanced(template)
    assert weight[template].sum() == pytest.approx(weight[~template].sum())


def test_a_thinned_curve_keeps_its_last_point():
    points = [
        CurvePoint(threshold=0.0, precision=1 - recall / 2, recall=recall)
        for recall in np.linspace(0.001, 1, 1000).tolist()
    ]
    curve = thinned_curve(points, 11)
    assert len(curve) == 11
    assert curve[-1] == (1.0, 0.5)


def test_detectors_are_not_trained_on_the_site_they_score():
    """A word that predicts the class on one site only must not help on this site."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(20), 20)
    template = rng.random(400) < 0.5
    sample = BlockSample(
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
