import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom._tree import only_h1
from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.config import HEADLINE_CONFIG
from templ_core.site_level.keyed_sums import count_keys
from templ_core.site_level.places._containers import (
    best_container,
    find_headline,
    mean_around,
    named_share,
    usual_share,
)
from templ_core.site_level.places._element_types import element_type_rows
from templ_core.site_level.places.places import node_places, page_places
from templ_core.tokens import tokenise

MARKUP = """<body><div id=a><p>one</p><div id=b><p>two</p><ul><li>three</li><li>four</li></ul></div>
</div><div id=c><p>five</p><p>six</p></div></body>"""


@pytest.fixture(scope="module")
def document():
    return parse_document(MARKUP, "https://example.com/")


@pytest.fixture(scope="module")
def tree(document):
    return read_features(document).tree


@given(
    st.lists(st.floats(0.01, 0.99), min_size=6, max_size=6),
    st.lists(st.integers(1, 30), min_size=6, max_size=6),
)
def test_the_best_container_has_most_gain(document, content, words):
    places = page_places(document, read_features(document), node_places(document))
    first, last = places.first, places.last
    best = best_container(first, last, np.array(content), np.array(words, float))
    gain = [(c - 0.5) * w for c, w in zip(content, words, strict=True)]
    ranges = zip(first.tolist(), last.tolist(), strict=True)
    gains = [sum(gain[start:end]) for start, end in ranges]
    assert gains[best] == pytest.approx(max(gains))


def test_the_most_usual_container_around_a_segment_counts(document, tree):
    cells = node_places(document).cell
    pairs = zip(document.nodes.tags, document.nodes.attributes, strict=True)
    tags = [f"{tag} {attributes[:1]}" for tag, attributes in pairs]
    votes = [cells[tags.index("div a")]] * 3 + [cells[tags.index("div b")]] * 6
    counts = count_keys(np.array(votes, np.uint64))
    having = np.concatenate([counts.sums, counts.sums + 3])
    of_those = usual_share(msgspec.structs.replace(counts, sums=having), cells, tree)
    assert of_those.tolist() == [3 / 6, 6 / 9, 6 / 9, 6 / 9, 0, 0]


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_surroundings_are_the_words_two_elements_up(document, tree, content):
    around = mean_around(np.array(content), tree, document.nodes.parent, 2)
    above = [max(one, 0) for one in document.nodes.parent.tolist()]
    for segment, owner in enumerate(tree.owner.tolist()):
        node = above[above[owner]]
        inside = slice(tree.first[node], tree.last[node])
        mean = np.average(content[inside], weights=tree.words[inside])
        assert around[segment] == pytest.approx(mean)


def head(markup):
    document = parse_document(markup, "")
    types = element_type_rows(document)
    return find_headline(document, read_features(document), types, HEADLINE_CONFIG)


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
    return max(values, key=values.get, default=-1)


@given(title=WORDS, lines=LINES)
@example("boats on the river - site", [("p", "site"), ("h1", "boats on the river"), ("p", "by")])
@example("boats" + " and more words than that" * 9, [("h1", "the boats"), ("p", "many words")])
def test_the_headline_is_the_best_of_all_segments_that_say_the_title(title, lines):
    markup = "".join(f"<div><{tag}>{words}</{tag}></div>" for tag, words in lines)
    page = f"<title>{title}</title>{markup}<p>End"
    assert head(page) == slow_headline(parse_document(page, ""))


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("<p>by<h1>Boats <div>on the river</div></h1><p>run", ["Boats", "on the river"]),
        ("<h1></h1><h2>News</h2><h1>Boats</h1>", ["Boats"]),
        ("<h1>Boats</h1><h1>Rivers</h1>", []),
        ("<h2>Boats</h2>", []),
        ("by<h1>Boats</h1>run<p>on</p>the river", ["Boats"]),
    ],
)
def test_the_only_h1_with_text_is_told(markup, texts):
    document = parse_document(markup, "")
    nodes, segments = document.nodes, document.segments
    first, behind = only_h1(nodes.element_types, nodes.element_type, nodes.parent, segments.owner)
    assert segments.texts[first:behind] == texts


def test_text_names_the_subject_by_the_pairs_of_words_of_the_headline_that_it_has():
    page = "<h1>The old boat</h1><p>An old boat, the old boat<p>Old boat<p>The boat is old<p>Boat"
    words = read_features(parse_document(page, "")).words
    assert named_share(words, 0, 1).tolist() == [1, 1, 0.5, 0, 0]
    assert named_share(words, 4, 5).tolist() == named_share(words, 0, 0).tolist() == [0] * 5
