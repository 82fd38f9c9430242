from random import Random

import pytest
from templ_core.site_level.phrases.varied_text import find_varied
from templ_core.site_level.phrases.varying_phrases import varying_phrases

from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.phrases.learn_phrases import learn_document_phrases
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher

WORDS = [f"{one}{two}" for one in "abcdefghij" for two in ("la", "mo", "ne", "ri", "su")]
BOX = (
    "We hope that you liked what you have read, and that you will also like {}, which many of our "
    "readers come back to every week, as they do to {} and to the other series that we print."
)


def pages(count, share=1.0):
    draws = Random(0)
    for number in range(count):
        story = " ".join(draws.choices(WORDS, k=60))
        titles = [" ".join(draws.choices(WORDS, k=3)) for _ in range(2)]
        box = f"<p>{BOX.format(*titles)}" if number < share * count else ""
        yield parse_document(f"<h1>{titles[0]}</h1><p>{story}.{box}", "https://a.com/")


def varied(learned, page, page_type=None):
    phrases = varying_phrases(learn_document_phrases(learned, CoreConfig()))
    features = read_features(page)
    found = find_varied(page, features, page_type or PageType(), PhraseMatcher(phrases))
    return [] if found is None else found.nonzero()[0].tolist()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.3])
def test_a_box_with_other_titles_on_each_page_is_found(share):
    assert varied(list(pages(20, share)), next(pages(1))) == [2]


def test_a_box_of_few_pages_or_of_few_learned_pages_stays():
    page = next(pages(1))
    assert varied(list(pages(20, 0.1)), page) == []
    assert varied(list(pages(6)), page) == []


@pytest.mark.parametrize("page_type", [PageType(documentation=0.9), PageType(forum=0.9)])
def test_records_of_references_and_forums_stay(page_type):
    assert varied(list(pages(20)), next(pages(1)), page_type) == []


def test_an_article_that_is_quoted_in_a_list_beside_others_stays():
    draws = Random(1)
    story = " ".join(draws.choices(WORDS, k=60))
    others = [
        parse_document(f"<p>{' '.join(draws.choices(WORDS, k=60))}<li>{story}", "https://a.com/")
        for _ in range(20)
    ]
    assert varied(others, parse_document(f"<p>{story}<p>More", "https://a.com/")) == []
