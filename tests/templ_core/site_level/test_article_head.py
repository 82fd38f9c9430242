import pytest

from templ_core.dom.document import parse_document
from templ_core.page_level.features import read_features
from templ_core.site_level.article_head import article_head

TEXT = "<div id=text><p>Many words about boats, and the river they are on."


def head(markup, start):
    document = parse_document(markup, "")
    found = article_head(document, read_features(document), start)
    return found.headline.tolist(), found.below.tolist()


def test_the_headline_repeats_the_title_and_the_head_ends_with_the_text():
    assert head(
        "<title>Boats on the river - Site</title><p>Site<h1>Boats on the river</h1>"
        f"<p>1 May<p>By Ann{TEXT}",
        4,
    ) == ([0, 1, 0, 0, 0], [0, 0, 1, 1, 0])


def test_a_heading_goes_before_the_same_words_elsewhere():
    assert head(
        f"<title>Boats on the river</title><p>Boats on the river<h1>Boats on the river</h1>{TEXT}",
        2,
    )[0] == [0, 1, 0]


def test_a_headline_inside_the_text_has_no_head():
    assert head(
        "<title>Boats on the river</title><p>Menu<div><h1>Boats on the river</h1><p>Text", 1
    ) == ([0, 1, 0], [0, 0, 0])


def test_a_headline_far_above_the_text_has_no_head():
    between = "".join(f"<p>Item {n}" for n in range(20))
    headline, below = head(
        f"<title>Boats on the river</title><h1>Boats on the river</h1>{between}{TEXT}", 21
    )
    assert headline[0] == 1
    assert not any(below)


@pytest.mark.parametrize(
    "title", ["", "Something else", "Boats " + "and more words than that " * 9]
)
def test_without_words_of_the_title_there_is_no_headline(title):
    assert not any(head(f"<title>{title}</title><h1>The boats</h1>{TEXT}", 1)[0])
