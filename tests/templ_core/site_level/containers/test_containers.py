import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.containers._containers import (
    best_container,
    container_nodes,
    mean_around,
    usual_share,
)
from templ_core.site_level.places.keyed_sums import count_keys
from templ_core.site_level.places.places import node_places

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
def test_the_best_container_has_most_gain(document, tree, content, words):
    nodes = container_nodes(tree)
    first, last = tree.first[nodes].astype(np.int32), tree.last[nodes].astype(np.int32)
    best = best_container(first, last, np.array(content), np.array(words, float))
    gain = [(c - 0.5) * w for c, w in zip(content, words, strict=True)]
    ranges = zip(first.tolist(), last.tolist(), strict=True)
    gains = [sum(gain[start:end]) for start, end in ranges]
    assert gains[best] == pytest.approx(max(gains))


def test_the_most_usual_container_around_a_segment_counts(document, tree):
    cells = node_places(document).cell
    tags = [
        f"{t} {a[:1]}" for t, a in zip(document.nodes.tags, document.nodes.attributes, strict=True)
    ]
    votes = [cells[tags.index("div a")]] * 3 + [cells[tags.index("div b")]] * 6
    counts = count_keys(np.array(votes, np.uint64))
    having = np.concatenate([counts.sums, counts.sums + 3])
    of_those = usual_share(msgspec.structs.replace(counts, sums=having), cells, tree, 3.0)
    assert of_those.tolist() == [3 / 9, 6 / 12, 6 / 12, 6 / 12, 0, 0]


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_surroundings_are_the_words_two_elements_up(document, tree, content):
    around = mean_around(np.array(content), tree, document.nodes.parent, 2)
    above = [max(one, 0) for one in document.nodes.parent.tolist()]
    for segment, owner in enumerate(tree.owner.tolist()):
        node = above[above[owner]]
        inside = slice(tree.first[node], tree.last[node])
        mean = np.average(content[inside], weights=tree.words[inside])
        assert around[segment] == pytest.approx(mean)
