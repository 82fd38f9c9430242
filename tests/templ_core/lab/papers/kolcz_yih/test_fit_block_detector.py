import numpy as np
import pytest

from templ_core.lab.papers.kolcz_yih.block_detector import (
    BlockSample,
    ForestSettings,
    fit_block_detector,
    intervals,
    out_of_fold_text_log_odds,
    sample_blocks,
    without_duplicates,
    word_places,
)
from templ_core.lab.papers.kolcz_yih.blocks import block_labels, read_block_features, read_blocks
from templ_core.lab.training.labels.site_pages import CorpusPage, read_sites
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SMALL = ForestSettings(trees=10, leaves=50)


@pytest.fixture(scope="module")
def sites():
    feed = simulate_feed(FeedSettings(sites=12, pages=300, seed=5, languages=("en",)))
    return list(
        read_sites(
            CorpusPage(corpus="synthetic", site=page.site, url=page.url, body=page.html.encode())
            for page in feed
        )
    )


@pytest.fixture(scope="module")
def sample(sites):
    return BlockSample.joined(sample_blocks(site, number) for number, site in enumerate(sites))


@pytest.fixture(scope="module")
def detector(sample):
    return fit_block_detector(sample.take(np.flatnonzero(sample.site < 9)), 0, SMALL)


def test_detectors_classify_blocks_of_unseen_sites(sites, detector):
    right = {"text": [], "maxent": [], "forest": []}
    for site in sites[9:]:
        blocks = [read_blocks(page.document, page.presentation) for page in site.pages]
        for page, some, labels in zip(site.pages, blocks, block_labels(blocks), strict=True):
            if not len(labels.place):
                continue
            features = read_block_features(page.document, page.presentation, some)
            scores = detector.scores(features.rows, *word_places(features.words))
            for name, score in scores.items():
                template = score > (0.5 if name == "forest" else 0)
                right[name].extend((template[labels.place] == labels.template).tolist())
    assert np.mean(right["maxent"]) > 0.9
    assert np.mean(right["forest"]) > 0.9
    assert np.mean(right["text"]) > 0.7


def test_equal_seeds_give_equal_forests_whose_answers_are_probabilities(sample):
    one, again = (fit_block_detector(sample, 3, SMALL) for _ in range(2))
    share, other = (
        some.scores(sample.rows, sample.word, sample.word_row)["forest"] for some in (one, again)
    )
    assert np.array_equal(share, other)
    assert ((share >= 0) & (share <= 1)).all()


def test_text_scores_for_fitting_are_out_of_fold(sample):
    changed = sample.take(np.arange(len(sample.template)))
    flipped = np.where(changed.site == 0, ~changed.template, changed.template)
    other = type(changed)(
        **{
            **{name: getattr(changed, name) for name in changed.__struct_fields__},
            "template": flipped,
        }
    )
    inside = sample.site == 0
    assert np.array_equal(
        out_of_fold_text_log_odds(sample)[inside], out_of_fold_text_log_odds(other)[inside]
    )


def test_duplicate_blocks_are_removed(sample):
    twice = BlockSample.joined([sample, sample])
    once = without_duplicates(sample)
    assert len(without_duplicates(twice).template) == len(once.template)


def test_the_number_of_an_interval_is_the_number_of_borders_below():
    rows = np.array([[0.0, 5.0], [1.0, 6.0], [2.5, 7.0]])
    assert intervals(rows, [np.array([1.0, 2.0]), np.array([])]).tolist() == [
        [0, 0],
        [0, 0],
        [2, 0],
    ]
