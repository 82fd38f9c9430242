import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.lab.papers.pagelevel.smoothed_classifier import (
    BANDS,
    bands,
    fit_logistic,
    segment_scores,
    train_smoothed_classifier,
)
from templ_core.lab.papers.pagelevel.variants import smooth_variant
from templ_core.lab.training.labels.site_pages import CorpusPage
from workers.lab.simulate.feed import FeedSettings, simulate_feed


@pytest.fixture(scope="module")
def pages():
    return list(simulate_feed(FeedSettings(sites=12, pages=300, seed=5, languages=("en",))))


@pytest.fixture(scope="module")
def classifier(pages):
    records = [
        CorpusPage(corpus="synthetic", site=page.site, url=page.url, body=page.html.encode())
        for page in pages
    ]
    return train_smoothed_classifier(records, lambda _: None)


def read(page):
    document = parse_document(page.html, page.url)
    return document, read_node_features(document, read_presentation(document, page.html))


def test_each_band_of_areas_has_a_model(classifier):
    assert len(classifier.models) == BANDS
    assert classifier.area_from[0] == 0
    assert classifier.area_from == sorted(classifier.area_from)
    assert bands(np.array([0, 1e9]), classifier.area_from).tolist() == [0, BANDS - 1]


def test_article_text_scores_lower_than_template(pages, classifier):
    inside, outside = [], []
    for page in [page for page in pages if page.gold_text][:40]:
        document, features = read(page)
        scores = segment_scores(
            features, document.segments.owner, classifier.templateness(features)
        )
        for text, score in zip(document.segments.texts, scores, strict=True):
            (inside if text in page.gold_text else outside).append(score)
    assert np.mean(inside) < 0.35
    assert np.mean(outside) > 0.65


def test_the_variant_smooth_gives_segments_of_a_section_one_score(pages, classifier):
    for page in pages[:5]:
        document, features = read(page)
        owner = document.segments.owner
        variant = smooth_variant(features, owner, classifier.templateness(features))
        for group in np.unique(variant.group):
            assert len(np.unique(variant.templateness[variant.group == group])) == 1


def test_logistic_regression_finds_a_known_decision_boundary():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 2))
    positive = rng.random(4000) < 1 / (1 + np.exp(-(2 * rows[:, 0] - 1)))
    model = fit_logistic(rows, positive)
    log_odds = model.log_odds(np.array([[0.5, 0], [0.5, 3], [1.5, 0]]))
    assert log_odds[0] == pytest.approx(0, abs=0.2)
    assert log_odds[1] == pytest.approx(log_odds[0], abs=0.4)
    assert log_odds[2] == pytest.approx(2, abs=0.4)


def test_training_rows_of_one_class_give_constant_log_odds():
    model = fit_logistic(np.ones((3, 2)), np.ones(3, bool))
    assert model.log_odds(np.zeros((1, 2)))[0] > 0
