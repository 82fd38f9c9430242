import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.words import word_counts
from templ_core.lab.training.fit import NetworkSettings, TreeSettings
from templ_core.lab.training.labels.site_pages import SITES_MIN, CorpusPage, TooFewPages
from templ_core.lab.training.train import TrainSettings
from templ_core.lab.training.train_without_gold import train_without_gold
from templ_core.page_level.model.model_file import decode_model, encode_model
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SMALL = TrainSettings(
    trees=TreeSettings(trees=8, leaves=6, rows_per_leaf=10, bins=16),
    network=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teacher=NetworkSettings(hidden=(8,), epochs=4, batch=64),
    teachers=2,
    ensembles=1,
)


def site_pages(feed):
    return [
        CorpusPage(corpus="synthetic", site=page.site, url=page.url, body=page.html.encode())
        for page in feed
    ]


@pytest.fixture(scope="module")
def model():
    feed = simulate_feed(FeedSettings(sites=14, pages=320, seed=5, languages=("en", "de")))
    trained = train_without_gold(site_pages(feed), 6, SMALL, lambda _: None)
    return decode_model(encode_model(trained))


def test_a_model_trained_without_gold_cleans_unseen_sites(model):
    scores = []
    for page in simulate_feed(FeedSettings(sites=20, pages=40, seed=77, languages=("en", "de"))):
        if not page.gold_text:
            continue
        document = parse_document(page.html, page.url)
        kept = clean(document, None, CoreConfig(), model).decision.kept
        text = " ".join(
            text for text, stays in zip(document.segments.texts, kept, strict=True) if stays
        )
        found, gold = word_counts(text), word_counts(page.gold_text)
        scores.append(2 * (found & gold).total() / (found.total() + gold.total()))
    assert sum(scores) / len(scores) > 0.75


def test_too_few_sites_raise_an_error_that_says_so():
    feed = simulate_feed(FeedSettings(sites=3, pages=60, seed=5, languages=("en",)))
    with pytest.raises(TooFewPages, match=f"at least {SITES_MIN} sites"):
        train_without_gold(site_pages(feed), 6, SMALL, lambda _: None)
