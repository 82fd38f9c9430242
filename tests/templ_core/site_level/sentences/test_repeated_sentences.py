from random import Random

import pytest

from templ_core.clean import clean
from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.sentences.repeated_sentences import judge_sentences
from tests.templ_core.site_level.builders import CONFIG, site_model

WORDS = [
    "harbour",
    "council",
    "winter",
    "bridge",
    "market",
    "story",
    "people",
    "river",
    "morning",
    "window",
    "garden",
    "letter",
    "engine",
    "summer",
    "teacher",
    "village",
    "doctor",
    "island",
    "forest",
    "kitchen",
]
NOTICE = (
    "We ask all readers of this paper to tell us what they think of it by letter. "
    "Whatever they write is read by somebody who answers before the week is over."
)


def sentence(rng):
    words = [rng.choice(WORDS) for _ in range(14)]
    return " ".join(words).capitalize() + "."


def article(number, *extra, paragraphs=5):
    """An article with further paragraphs at random places among its own."""
    rng = Random(number)
    body = [" ".join(sentence(rng) for _ in range(3)) for _ in range(paragraphs)]
    for one in extra:
        body.insert(rng.randint(1, len(body) - 1), one)
    text = "".join(f"<p>{one}</p>" for one in body)
    return parse_document(
        f"<html><title>{WORDS[number % 20]} {number}</title><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{sentence(rng)}</h1>{text}</article><footer>All rights reserved</footer>",
        "https://paper.example/",
    )


def cleaned(page, model):
    return clean(page, model, CONFIG)


def test_a_paragraph_that_the_site_repeats_goes_wherever_it_stands():
    model = site_model([article(number, NOTICE) for number in range(8)])
    result = cleaned(article(50, NOTICE), model)
    assert "readers of this paper" not in result.text
    assert result.text.count("\n") >= 4
    assert "site-phrases" in result.decision.reasons


def test_it_stays_where_the_site_does_not_repeat_it():
    model = site_model([article(number, *[NOTICE] * (number < 3)) for number in range(8)])
    assert "readers of this paper" in cleaned(article(50, NOTICE), model).text


def test_a_paragraph_that_is_only_partly_repeated_is_cut_at_its_sentences():
    model = site_model([article(number, NOTICE) for number in range(8)])
    own = "The mayor herself opened the old bridge and walked over it with her two sons."
    text = cleaned(article(50, f"{own} {NOTICE} {own}"), model).text
    assert f"{own} {own}" in text
    assert "readers" not in text


@pytest.mark.parametrize("tag", ["pre", "h2"])
def test_code_and_headings_are_repeated_on_purpose(tag):
    def pages():
        for number in range(9):
            page = article(number)
            markup = f"<article><h1>{number}</h1><{tag}>{NOTICE}</{tag}>"
            rng = Random(number)
            markup += "".join(f"<p>{sentence(rng)} {sentence(rng)}</p>" for _ in range(6))
            yield page, parse_document(markup, "https://paper.example/")

    known = [one for _, one in pages()]
    model = site_model(known[:8])
    assert not len(model.sentences.keys)


def test_a_series_repeats_text_with_what_is_around_it():
    """Few of many pages have it, always between the same two paragraphs."""
    before, behind = ("This part is about boats and nets.", "The next part is about the sea.")
    pages = [article(number) for number in range(76)]
    pages += [
        article(number, f"{before}</p><p>{NOTICE}</p><p>{behind}") for number in range(80, 84)
    ]
    model = site_model(pages)
    series = article(90, f"{before}</p><p>{NOTICE}</p><p>{behind}")
    assert "readers of this paper" in cleaned(series, model).text
    apart = site_model(pages[:76] + [article(number, NOTICE) for number in range(80, 84)])
    assert "readers of this paper" not in cleaned(article(90, NOTICE), apart).text


@pytest.mark.parametrize(("share", "stays"), [(0.5, True), (0.9, False)])
def test_on_documentation_text_goes_with_what_is_around_it_if_most_pages_have_it(share, stays):
    some = f"{NOTICE}</p><p>See the licence."
    pages = [article(number, *[some] * (number < 30 * share)) for number in range(30)]
    model = site_model(pages)
    reference = PageType(documentation=0.9)
    judged = judge_sentences(read_features(pages[0]), reference, model.sentences, model.documents)
    assert judged.is_alike.all()
    assert (judged.stays == stays).all()


@pytest.mark.parametrize(("having", "stays"), [(4, True), (5, False)])
def test_what_most_pages_of_a_young_window_have_goes_whatever_is_beside_it(having, stays):
    some = f"{NOTICE}</p><p>Comments are open."
    pages = [article(number, *[some] * (number < having)) for number in range(6)]
    model = site_model(pages)
    judged = judge_sentences(read_features(pages[0]), PageType(), model.sentences, model.documents)
    assert judged.is_alike.all()
    assert (judged.stays == stays).all()


def test_a_text_of_most_pages_goes_from_a_short_page_of_documentation_too():
    """It is most of the page, as inherited members would be, but it is only one notice."""
    some = f"{NOTICE}</p><p>See the licence."
    pages = [article(number, some, paragraphs=2) for number in range(12)]
    model = site_model(pages)
    short = parse_document(
        f"<article><h1>isalpha</h1><p>{NOTICE}</p><p>See the licence.", "https://paper.example/"
    )
    reference = PageType(documentation=0.9)
    judged = judge_sentences(read_features(short), reference, model.sentences, model.documents)
    assert not judged.stays.any()


def test_near_copies_of_a_page_count_once():
    model = site_model([article(7, NOTICE) for _ in range(6)] + [article(n) for n in range(20, 24)])
    assert "readers of this paper" in cleaned(article(50, NOTICE), model).text


def test_the_page_that_others_repeat_keeps_its_text():
    terms = " ".join(sentence(Random(f"terms {number}")) for number in range(12))
    model = site_model([article(number, terms) for number in range(8)])
    page = parse_document(
        f"<title>Terms</title><body><nav><a href=/>Home</a></nav><article><p>{terms}</article>",
        "https://paper.example/",
    )
    assert cleaned(page, model).text.count(".") >= 12
