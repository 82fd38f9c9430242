import numpy as np
import pytest

from templ_core.lab.training import train
from templ_core.lab.training.pages import GoldRecord, owner_of_each, read_training_page, thin
from templ_core.lab.training.quality import SITE_PAGES_MIN, PageResult, measure, spread, stability
from templ_core.page_level.model.model_file import decode_model, encode_model
from templ_core.page_level.model.page_type import PageType
from tests.templ_core.lab.synthetic_pages import SMALL, gold_record
from workers.lab.simulate.feed import FeedSettings, simulate_feed


@pytest.fixture(scope="module")
def pages():
    feed = simulate_feed(FeedSettings(sites=16, pages=60, seed=11, languages=("en", "de")))
    return [read_training_page(gold_record(page)) for page in feed if page.gold_text]


@pytest.fixture(scope="module")
def trained(pages):
    return train.train_page_model(train.gather(pages, {}), SMALL, lambda _: None)


def test_held_out_sites_are_cleaned_well(pages, trained):
    quality = measure(trained.results)
    assert quality.corpora["synthetic"].pages == len(pages)
    assert quality.corpora["synthetic"].f1 > 0.8
    assert quality.calibration["synthetic"]


def test_equal_seeds_give_equal_models(pages, trained):
    again = train.train_page_model(train.gather(pages, {}), SMALL, lambda _: None).model
    assert encode_model(again) == encode_model(trained.model)
    assert decode_model(encode_model(again)).version == trained.model.version


def test_training_features_never_come_from_tables_that_saw_the_held_out_fold(pages):
    corpus = train.gather(pages, {})
    scores = train.hashed_scores(corpus, lambda _: None)
    asked = []
    spied = _Spy(scores, asked)
    train.training_rows(corpus, spied, [PageType()] * len(corpus.pages), 2, 0)
    assert asked
    for page, pair in asked:
        assert 2 in pair
        assert corpus.fold[page] in pair
        assert corpus.fold[page] != 2


def test_tables_are_fitted_without_each_fold_and_each_pair_of_folds():
    pairs = train.left_out_pairs()
    assert len(pairs) == 1 + train.FOLDS + train.FOLDS * (train.FOLDS - 1) // 2
    assert (train.NO_FOLD, train.NO_FOLD) in pairs


def test_too_few_sites_raise_an_error_that_says_so(pages):
    site = pages[0].site
    with pytest.raises(train.TooFewSites, match="1 sites"):
        train.gather([page for page in pages if page.site == site], {})


class _Spy:
    def __init__(self, scores, asked):
        self._scores, self._asked = scores, asked

    def of_page(self, page, left_out):
        self._asked.append((page, left_out))
        return self._scores.of_page(page, left_out)


def test_the_weight_of_a_corpus_becomes_the_weight_of_its_pages(pages):
    assert np.all(train.gather(pages, {"synthetic": 0.5}).weight == 0.5)


def gold_page(url, site="s"):
    return GoldRecord(
        corpus="c", url=url, site=site, page_type="", body=b"", charset=None, gold_text="x",
        selectors=None,
    )  # fmt: skip


def test_pages_of_a_domain_or_a_site_have_one_owner():
    owners = owner_of_each(
        [
            ("https://a.example.com/1", "first"),
            ("https://b.example.com/2", "second"),
            ("https://other.org/", "second"),
            ("https://third.net/", "third"),
            ("file:x.html", "third.net"),
        ]
    )
    assert owners[0] == owners[1] == owners[2]
    assert owners[3] == owners[4]
    assert owners[0] != owners[3]


def test_large_sites_are_thinned_by_the_hashes_of_addresses():
    pages = [gold_page(f"https://a.org/{n}") for n in range(9)]
    few = thin(pages, 3)
    assert len(few) == 3
    assert {page.url for page in thin(reversed(pages), 3)} == {page.url for page in few}


def results(large, small):
    pages = [PageResult(corpus="c", site="large", page_type="", f1=large)] * SITE_PAGES_MIN
    return [*pages, PageResult(corpus="c", site="small", page_type="", f1=small)]


def test_spreads_are_reported_for_corpora_and_large_sites():
    f1, of_sites = stability([results(0.8, 1.0), results(0.9, 0.2)])["c"]
    assert f1 == pytest.approx([(16 + 1) / 21, (18 + 0.2) / 21])
    assert of_sites.keys() == {"large"}
    assert spread(of_sites["large"]) == pytest.approx(0.1)
