from random import Random

import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.fusion.site_columns import FEW_COVER, FEW_COVER_OF_RECORDS
from templ_core.site_level.fusion.site_inputs import string_columns
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.strings.string_evidence import read_strings
from tests.templ_core.site_level.builders import CONFIG, site_model
from tests.templ_core.site_level.repeating_site import WORDS, sentence

NOTICE = (
    "We ask all readers of this paper to tell us what they think of it by letter. "
    "Whatever they write is read by somebody who answers before the week is over."
)


def article(number, *extra, paragraphs=5, inside=lambda text: f"<p>{text}</p>"):
    """An article with further blocks at random places among its own."""
    rng = Random(number)
    body = [f"<p>{' '.join(sentence(rng) for _ in range(3))}</p>" for _ in range(paragraphs)]
    for one in extra:
        body.insert(rng.randint(1, len(body) - 1), inside(one))
    return parse_document(
        f"<html><title>{WORDS[number % 20]} {number}</title><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{sentence(rng)}</h1>{''.join(body)}</article><footer>All rights reserved</footer>",
        "https://paper.example/",
    )


def text_of(page, model):
    return clean(page, model, CONFIG).text


def strings_of(page, model):
    return read_strings(read_features(page), model.strings)


def segment_with(page, part):
    return next(number for number, text in enumerate(page.segments.texts) if part in text)


def test_a_paragraph_that_the_site_repeats_goes_wherever_it_stands():
    model = site_model([article(number, NOTICE) for number in range(8)])
    result = clean(article(50, NOTICE), model, CONFIG)
    assert "readers of this paper" not in result.text
    assert result.text.count("\n") >= 4
    assert "site-string" in result.decision.reasons


def test_it_stays_where_the_site_does_not_repeat_it():
    model = site_model([article(number, *[NOTICE] * (number < 2)) for number in range(8)])
    assert "readers of this paper" in text_of(article(50, NOTICE), model)


def test_a_tenth_of_the_pages_is_enough():
    model = site_model([article(number, *[NOTICE] * (number % 10 == 0)) for number in range(60)])
    assert "readers of this paper" not in text_of(article(90, NOTICE), model)


def test_a_paragraph_that_is_only_partly_repeated_is_cut_at_its_sentences():
    model = site_model([article(number, NOTICE) for number in range(8)])
    own = "The mayor herself opened the old bridge and walked over it with her two sons today."
    others = "Nobody had expected her to come, since the winter had been long and the river high."
    text = text_of(article(50, f"{own} {NOTICE} {others}"), model)
    assert f"{own} {others}" in text
    assert "readers" not in text


def varied(rng):
    """The notice with two words of each sentence changed at random places."""
    sentences = []
    for one in NOTICE.split(". "):
        words = one.split()
        for place in rng.sample(range(1, len(words)), 2):
            words[place] = rng.choice(WORDS)
        sentences.append(" ".join(words).removesuffix(".") + ".")
    return " ".join(sentences)


def test_a_paragraph_of_which_some_words_differ_goes():
    rng = Random(5)
    model = site_model([article(number, varied(rng)) for number in range(30)])
    pages = [article(number, varied(rng)) for number in range(50, 60)]
    kept = sum("before the week" in text_of(page, model) for page in pages)
    assert kept <= 1


@pytest.mark.parametrize("tag", ["pre", "h2"])
def test_no_strings_of_words_are_looked_for_in_code_and_headings(tag):
    def inside(text):
        return f"<{tag}>{text}</{tag}>"

    model = site_model([article(number, NOTICE, inside=inside) for number in range(8)])
    page = article(50, NOTICE)
    at = segment_with(page, "readers of this paper")
    assert strings_of(page, model).few.share[at] == 0


def test_text_with_the_same_text_beside_it_belongs_to_a_record():
    def inside(text):
        return f"<h4>Returns</h4><p>{text}</p><h4>Raises</h4>"

    pages = [article(number, *[NOTICE] * (number % 5 == 0), inside=inside) for number in range(40)]
    model, page = site_model(pages), article(90, NOTICE, inside=inside)
    at = segment_with(page, "readers of this paper")
    strings = strings_of(page, model)
    assert strings.few.share[at] == 1
    assert strings.alike[at] > 0.9
    columns = string_columns(strings, PageType(documentation=1.0))
    assert columns[FEW_COVER_OF_RECORDS][at] == 0
    apart = site_model([article(number, *[NOTICE] * (number % 5 == 0)) for number in range(40)])
    strings = strings_of(article(90, NOTICE), apart)
    columns = string_columns(strings, PageType(documentation=1.0))
    assert columns[FEW_COVER_OF_RECORDS].max() > 0.5
    assert columns[FEW_COVER].max() == 0


def test_text_that_a_page_has_more_than_once_is_a_pattern_of_its_list():
    model = site_model([article(number, NOTICE) for number in range(8)])
    once, twice = article(50, NOTICE), article(50, NOTICE, NOTICE)
    assert strings_of(once, model).listed.max() < 0.5
    at = segment_with(twice, "readers of this paper")
    assert strings_of(twice, model).listed[at] == 1


def test_delivery_terms_go_from_products_of_few_words():
    """The terms are nine tenths of each page, so by their words alone the products would be copies."""
    rng = Random(8)
    terms = " ".join(sentence(rng, 20) for _ in range(25))

    def product(number):
        own = Random(number)
        return parse_document(
            f"<title>{number}</title><nav><a href=/>Shop</a></nav><div class=product><h1>{sentence(own, 4)}</h1>"
            f"<p>{sentence(own, 20)} {sentence(own, 20)}</p></div><div class=terms><p>{terms}</p></div>",
            "https://shop.example/",
        )

    model = site_model([product(number) for number in range(4)])
    assert model.documents == 4
    text = text_of(product(50), model)
    assert len(text.split()) < 60
    assert text


def test_the_strings_depend_on_the_pages_and_not_on_their_order():
    pages = [article(number, *[NOTICE] * (number % 3 == 0)) for number in range(12)]
    one, other = site_model(pages).strings, site_model(pages[::-1]).strings
    assert (one.shapes == other.shapes).all()
    page = article(90, NOTICE)
    for first, second in (
        (strings_of(page, site_model(pages)), strings_of(page, site_model(pages[::-1]))),
    ):
        assert (first.few.share == second.few.share).all()
        assert (first.usual_words == second.usual_words).all()
        assert (first.alike == second.alike).all()


def test_a_stored_table_says_the_same():
    model = site_model([article(number, NOTICE) for number in range(8)])
    stored = decode_site_model(encode_site_model(model, CONFIG.site_model_bytes))
    page = article(50, NOTICE)
    one, other = strings_of(page, model), strings_of(page, stored)
    assert (one.few.share == other.few.share).all()
    assert (one.alike == other.alike).all()
    assert one.few.share.max() == 1
    small = decode_site_model(encode_site_model(model, 2000))
    assert np.isfinite(strings_of(page, small).few.share).all()
