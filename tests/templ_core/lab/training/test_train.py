import numpy as np
import pytest

from templ_core.lab.training.fit import NetworkSettings, TreeSettings
from templ_core.lab.training.nested import FOLDS, NONE, hashed_scores, left_out_pairs, training_rows
from templ_core.lab.training.pages import GoldPage, read_training_page
from templ_core.lab.training.quality import measure
from templ_core.lab.training.train import TooFewSites, TrainSettings, gather, train
from templ_core.page_level.model.model_file import decode_model, encode_model
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SMALL = TrainSettings(
    trees=TreeSettings(trees=8, leaves=6, rows_per_leaf=10, bins=16),
    network=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teacher=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teachers=2,
    ensembles=1,
)


@pytest.fixture(scope="module")
def pages():
    found = []
    for page in simulate_feed(FeedSettings(sites=16, pages=60, seed=11, languages=("en", "de"))):
        if page.gold_text:
            gold = GoldPage(
                corpus="synthetic",
                url=page.url,
                site=page.site,
                kind=page.genre,
                body=page.html.encode(),
                charset="utf-8",
                gold_text=page.gold_text,
                selectors=None,
            )
            found.append(read_training_page(gold))
    return found


@pytest.fixture(scope="module")
def trained(pages):
    return train(gather(pages, {}), SMALL, lambda _: None)


def test_unseen_sites_are_cleaned_well(pages, trained):
    quality = measure(trained.results)
    assert quality.corpora["synthetic"].pages == len(pages)
    assert quality.corpora["synthetic"].f1 > 0.8
    assert quality.calibration["synthetic"]


def test_equal_seeds_give_equal_models(pages, trained):
    again = train(gather(pages, {}), SMALL, lambda _: None).model
    assert encode_model(again) == encode_model(trained.model)
    assert decode_model(encode_model(again)).version == trained.model.version


def test_no_score_used_in_training_comes_from_a_model_that_saw_the_test_sites(pages):
    corpus = gather(pages, {})
    scores = hashed_scores(corpus, lambda _: None)
    asked = []
    spied = _Spy(scores, asked)
    training_rows(corpus, spied, 2, 0)
    assert asked
    for page, pair in asked:
        assert 2 in pair
        assert corpus.fold[page] in pair
        assert corpus.fold[page] != 2


def test_models_leave_out_each_fold_and_each_pair():
    pairs = list(left_out_pairs())
    assert len(pairs) == 1 + FOLDS + FOLDS * (FOLDS - 1) // 2
    assert (NONE, NONE) in pairs


def test_too_few_sites_are_said_to_be_too_few(pages):
    site = pages[0].site
    with pytest.raises(TooFewSites, match="1 sites"):
        gather([page for page in pages if page.site == site], {})


class _Spy:
    def __init__(self, scores, asked):
        self._scores, self._asked = scores, asked

    def of_page(self, page, left_out):
        self._asked.append((page, left_out))
        return self._scores.of_page(page, left_out)


def test_weights_of_corpora_are_weights_of_pages(pages):
    assert np.all(gather(pages, {"synthetic": 0.5}).weight == 0.5)
