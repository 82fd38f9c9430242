import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.containers.headline import headline_of
from templ_core.site_level.places.element_types import element_type_rows
from templ_core.tokens import tokenise

TEXT = "<div id=text><p>Many words about boats, and the river they are on."


def head(markup):
    document = parse_document(markup, "")
    return headline_of(document, read_features(document), element_type_rows(document)).tolist()


def test_the_headline_repeats_the_title():
    assert head(
        "<title>Boats on the river - Site</title><p>Site<h1>Boats on the river</h1>"
        f"<p>1 May<p>By Ann{TEXT}",
    ) == [0, 1, 0, 0, 0]


def test_a_heading_goes_before_the_same_words_elsewhere():
    assert head(
        f"<title>Boats on the river</title><p>Boats on the river<h1>Boats on the river</h1>{TEXT}",
    ) == [0, 1, 0]


def test_a_headline_far_above_the_text_is_one():
    between = "".join(f"<p>Item {n}" for n in range(20))
    found = head(f"<title>Boats on the river</title><h1>Boats on the river</h1>{between}{TEXT}")
    assert found == [1, *[0] * 21]


@pytest.mark.parametrize(
    "title", ["", "Something else", "Boats " + "and more words than that " * 9]
)
def test_without_words_of_the_title_there_is_no_headline(title):
    assert not any(head(f"<title>{title}</title><h1>The boats</h1>{TEXT}"))


WORDS = st.lists(
    st.sampled_from(["boats", "on", "the", "river", "run", "Run", "12"]), max_size=6
).map(" ".join)
LINES = st.lists(st.tuples(st.sampled_from(["p", "h1", "h2", "h3"]), WORDS), min_size=1, max_size=8)


def slow_headline(document):
    """The segment with the best value among those that say the title."""
    title = set(tokenise(document.title.lower()))
    nodes, values = document.nodes, {}
    for segment, text in enumerate(document.segments.texts):
        words = tokenise(text.lower())
        said = sum(word in title for word in words)
        node, around = int(document.segments.owner[segment]), set()
        while node >= 0:
            around.add(nodes.tags[node])
            node = int(nodes.parent[node])
        if title and said >= 0.8 * len(words) and said >= 0.3 * len(title):
            in_heading = bool(around & {"h1", "h2", "h3"})
            values[segment] = min(said / len(title), 1) + in_heading + ("h1" in around)
    return max(values, key=values.get, default=None)


@given(title=WORDS, lines=LINES)
def test_the_headline_is_the_best_of_all_segments_that_say_the_title(title, lines):
    markup = "".join(f"<div><{tag}>{words}</{tag}></div>" for tag, words in lines)
    document = parse_document(f"<title>{title}</title>{markup}<p>End", "")
    found = headline_of(document, read_features(document), element_type_rows(document))
    expected = slow_headline(document)
    assert found.nonzero()[0].tolist() == ([] if expected is None else [expected])
