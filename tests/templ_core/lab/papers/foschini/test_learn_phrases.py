import numpy as np
import pytest

from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.lab.papers.foschini.matching import PhraseMatcher
from templ_core.lab.papers.foschini.phrases import PhrasesConfig, learn_document_phrases

CONFIG = PhrasesConfig()


def article(number):
    words = " ".join(
        f"w{chr(97 + (number * 7 + i * i) % 26)}{chr(97 + i % 26)}q" for i in range(60)
    )
    return (
        f"<div>Posted on March {number}, 2024 by the editors</div><p>{words}.</p>"
        f"<ul><li>Home<li>About us</ul><p>{number} comments so far</p>"
    )


def documents(count):
    return [parse_document(article(number), "https://a.org/") for number in range(1, count + 1)]


def test_segments_of_the_template_are_covered_and_articles_are_not():
    window = documents(12)
    matcher = PhraseMatcher(learn_document_phrases(window, CONFIG))
    new = parse_document(article(25), "https://a.org/")
    assert matcher.coverage(new).tolist() == [1, 0, 1, 1, 1]


def test_only_the_segments_asked_for_are_looked_at():
    new = parse_document(article(25), "https://a.org/")
    matcher = PhraseMatcher(learn_document_phrases(documents(12), CONFIG))
    wanted = np.array([False, True, True, False, True])
    assert matcher.coverage(new, wanted).tolist() == [0, 0, 1, 0, 1]


def test_documents_from_their_compact_form_give_equal_phrases():
    window = documents(6)
    kept = [decode_document(compress_columns(document_columns(one))) for one in window]
    assert learn_document_phrases(kept, CONFIG) == learn_document_phrases(window, CONFIG)


def test_no_page_and_one_page_have_no_phrases():
    for some in ([], documents(1)):
        assert learn_document_phrases(some, CONFIG).phrases == ()


def test_pages_without_text_have_no_coverage():
    matcher = PhraseMatcher(learn_document_phrases(documents(6), CONFIG))
    assert matcher.coverage(parse_document("", "https://a.org/")).shape == (0,)


@pytest.mark.parametrize("size_bytes", [0, 100, 1000])
def test_the_least_supported_phrases_go_first(size_bytes):
    whole = learn_document_phrases(documents(6), CONFIG).phrases
    limited = learn_document_phrases(
        documents(6), PhrasesConfig(phrase_set_bytes=size_bytes)
    ).phrases
    assert limited == whole[: len(limited)]
    assert sum(len(key.encode()) + 1 for one in limited for key in one.keys) <= size_bytes
    assert np.all(np.diff([phrase.pages for phrase in limited]) <= 0)
