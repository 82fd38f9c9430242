import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel.node_features import read_node_features

MARKUP = (
    "<html lang=en><title>Sea birds of Norway</title><body bgcolor=white>"
    "<ul bgcolor=#333333><li><a href='/'>Home</a><li><a href='https://x.org/'>Elsewhere</a></ul>"
    "<div><p>The birds of the sea are many, and they have been here for long. It is so.</p></div>"
)


@pytest.fixture(scope="module")
def found():
    document = parse_document(MARKUP, "https://a.org/")
    return document, read_node_features(document, read_presentation(document, MARKUP))


def value(found, name, tag):
    document, features = found
    tags = [document.nodes.tags[node] for node in features.node]
    return features.columns[name][tags.index(tag)]


def test_blocks_with_text_form_a_tree(found):
    document, features = found
    assert [document.nodes.tags[node] for node in features.node] == [
        "html", "body", "ul", "li", "li", "div", "p",
    ]  # fmt: skip
    assert features.parent.tolist() == [-1, 0, 1, 2, 2, 1, 5]
    assert features.rows.shape == (7, len(features.columns))


def test_link_features(found):
    assert value(found, "links per word", "ul") == 1
    assert value(found, "text in anchors", "ul") == 1
    assert value(found, "links inside the site", "ul") == 0.5
    assert value(found, "anchor size", "ul") == (len("Home") + len("Elsewhere")) / 2
    assert value(found, "links per word", "p") == 0


def test_text_features(found):
    assert value(found, "words per sentence", "p") == 17 / 2
    assert value(found, "stop words", "p") > 0.6
    assert value(found, "stop words", "ul") == 0
    assert value(found, "title words", "p") == pytest.approx(2 / 3)
    assert value(found, "of the title", "p") == pytest.approx(2 / 17)


def test_background_and_markup_features(found):
    assert value(found, "background", "ul") == pytest.approx(0.2)
    assert value(found, "background beside the page's", "li") == pytest.approx(0.8)
    assert value(found, "background beside the page's", "p") == 0
    assert value(found, "visible characters", "p") > value(found, "visible characters", "ul")


def test_position_features(found):
    assert value(found, "top margin", "ul") < value(found, "top margin", "p")
    assert value(found, "area share", "html") == 1


def test_stop_words_are_found_if_no_language_is_declared():
    markup = "<body><p>Der Hund und die Katze sind nicht im Haus, weil es regnet."
    document = parse_document(markup, "https://a.org/")
    features = read_node_features(document, read_presentation(document, markup))
    assert features.columns["stop words"][-1] > 0.5


def test_all_features_are_finite_on_unusual_pages():
    for markup in ("word", "<p hidden>word", "<table><tr><td>_", "<body>1<p><div><br><br>2"):
        document = parse_document(markup, "file:")
        features = read_node_features(document, read_presentation(document, markup))
        assert np.isfinite(features.rows).all()


def test_a_block_inside_a_link_belongs_to_the_block_around_the_link():
    markup = "<body><div>text<a href=/><p>inside the link</p></a></div><p>after it</p>"
    document = parse_document(markup, "")
    features = read_node_features(document, read_presentation(document, markup))
    tags = [document.nodes.tags[node] for node in features.node]
    assert tags == ["html", "body", "div", "p", "p"]
    assert features.parent.tolist() == [-1, 0, 1, 2, 1]
