from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.lab.papers.pagelevel.node_features import leave_out
from templ_core.lab.tree_sums import subtree_sums
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.smoothing import section_numbers, smooth, smooth_text
from tests.templ_core.page_level.slow_smoothing import SCORE_GRID, smooth_exactly, total_cost
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SCORES = [0.0, 0.125, 0.5, 0.625, 1.0]
EXACT = st.sampled_from(SCORES)
AMOUNTS = [0.0, 0.25, 1.0, 3.0, 4.0]
INFINITE = float("inf")


@st.composite
def trees(draw, largest=5, scores=EXACT):
    """Return a tree in document order: parent, score, weight and penalty."""
    count = draw(st.integers(1, largest))
    parent, path = [-1], [0]
    for node in range(1, count):
        depth = draw(st.integers(1, len(path)))
        parent.append(path[depth - 1])
        path[depth:] = [node]
    amounts = st.lists(st.sampled_from(AMOUNTS), min_size=count, max_size=count)
    penalty = st.lists(st.sampled_from([*AMOUNTS, INFINITE]), min_size=count, max_size=count)
    x = st.lists(scores, min_size=count, max_size=count)
    return as_columns(parent, draw(x), draw(amounts), draw(penalty))


def as_columns(parent, *columns):
    return np.array(parent, np.int32), *(np.array(column, float) for column in columns)


def cost(tree, values):
    """Return the cost of an assignment by its definition; infinite where a parent is above its child."""
    parent, score, weight, penalty = tree
    total = 0.0
    for node, value in enumerate(values):
        total += weight[node] * abs(score[node] - value)
        if node and values[parent[node]] > value:
            return INFINITE
        if node and values[parent[node]] != value:
            total += penalty[node]
    return total


def least_cost(tree, values):
    """Return the least cost by BuildError as the paper means it: by node and its parent's value."""
    parent, score, weight, penalty = tree
    children = [np.flatnonzero(parent == node).tolist() for node in range(len(parent))]

    @cache
    def taking(node, value):
        below = sum(inheriting(child, value) for child in children[node])
        return weight[node] * abs(score[node] - value) + below

    @cache
    def inheriting(node, value):
        onward = [taking(node, other) for other in values if other > value]
        return min([taking(node, value), *(penalty[node] + cost for cost in onward)])

    return min(taking(0, value) for value in values)


@given(
    trees(largest=40, scores=st.floats(0, 1))
    | trees(largest=30, scores=st.sampled_from(SCORE_GRID.tolist()))
)
def test_larger_trees_cost_as_much_as_the_twin_finds_on_the_grid(tree):
    exact = cost(tree, smooth_exactly(*tree).score)
    assert exact == pytest.approx(least_cost(tree, sorted(set(tree[1].tolist()))))
    smoothed = smooth(*tree)
    fast = cost(tree, smoothed.score)
    assert total_cost(*tree, smoothed) == pytest.approx(fast)
    assert exact - 1e-9 <= fast <= least_cost(tree, SCORE_GRID.tolist()) + 1e-9
    assert fast <= exact + tree[2].sum() / 126 + 1e-9


@given(trees(largest=12))
def test_nodes_of_a_section_are_connected_and_share_a_score(tree):
    smoothed = smooth(*tree)
    for node in range(1, len(tree[0])):
        above = tree[0][node]
        same_section = smoothed.section[node] == smoothed.section[above]
        assert same_section == (smoothed.score[node] == smoothed.score[above])


def test_a_high_penalty_leaves_one_section_and_none_leaves_many():
    parent, score, ones = as_columns([-1, 0, 1, 1, 0], [0.0, 0.1, 0.2, 0.8, 0.9], [1] * 5)
    assert len(set(smooth(parent, score, ones, 100 * ones).section)) == 1
    assert len(set(smooth(parent, score, ones, 0 * ones).section)) == 5


def test_every_root_of_a_forest_starts_a_section_at_no_cost():
    assert not len(smooth(*as_columns([], [], [], [])).score)
    forest = as_columns([-1, -1], [0.0, 1.0], [1, 1], [INFINITE, INFINITE])
    assert smooth(*forest).section.tolist() == [0, 1]


def test_nodes_out_of_document_order_are_refused():
    scrambled = as_columns([-1, 0, 0, 1], [0.5] * 4, [1] * 4, [1] * 4)
    with pytest.raises(ValueError, match="node 3 is not in document order"):
        smooth(*scrambled)


TEXT_AND_MENU = (
    "<body><div><div><p>the first paragraph</p><p>the second one</p></div></div>"
    "<ul><li>home page</li><li>contact us</li></ul></body>"
)
# The block stands inside the inline element that the text before it ends in.
LINKED = "<div>some text<a>more of it<p>a block in the link</p></a>the end</div>"


@pytest.mark.parametrize(
    ("markup", "kept", "penalty", "sections"),
    [
        (TEXT_AND_MENU, [True, True, False, False], 0.05, [0, 0, 1, 1]),
        (TEXT_AND_MENU, [True, True, False, False], 99, [0, 0, 0, 0]),
        (LINKED, [True, False, True], 0.05, [0, 1, 0]),
        ("<div></div>", [], 0.05, []),
    ],
)
def test_what_is_kept_under_one_element_is_a_section(markup, kept, penalty, sections):
    document = parse_document(markup, "")
    words = np.array([len(text.split()) for text in document.segments.texts], float)
    found = section_numbers(document, np.array(kept, bool), words, penalty)
    assert found.tolist() == sections


def slow_smooth(document, words, templateness, penalty):
    """Return smoothed scores and sections on the whole tree, thinned by numpy operations."""
    owner, n_nodes = document.segments.owner, len(document.nodes.tags)
    order = np.argsort(np.concatenate([np.arange(n_nodes), owner]), kind="stable")
    place = np.argsort(order)
    parent = np.concatenate([document.nodes.parent, owner])[order]
    parent = np.where(parent < 0, -1, place[parent]).astype(np.int32)
    inside = np.concatenate([subtree_sums(document, words), words])[order]
    is_wrapper = (order < n_nodes) & (parent >= 0) & (inside == inside[parent])
    tree = leave_out(parent, is_wrapper | (inside == 0))
    nothing = np.zeros(n_nodes)
    smoothed = smooth(
        tree.parent,
        np.concatenate([nothing, templateness])[order][tree.kept],
        np.concatenate([nothing, np.sqrt(words)])[order][tree.kept],
        penalty * words.sum() / inside[tree.kept],
    )
    leaf = tree.stands_for[place[n_nodes:]]
    return smoothed.score[leaf], smoothed.section[leaf]


def test_smoothing_on_the_text_tree_is_that_on_the_whole_tree():
    draws = np.random.default_rng(0)
    for page in simulate_feed(FeedSettings(sites=8, pages=24)):
        document = parse_document(page.html, page.url)
        if not document.segments.texts:
            continue
        tree = read_features(document).tree
        templateness = draws.random(len(tree.words))
        smoothed = smooth_text(tree, templateness, 0.05)
        score, section = slow_smooth(document, tree.words, templateness, 0.05)
        assert np.allclose(smoothed.templateness, score)
        borders = np.diff(smoothed.section) != 0
        assert (borders == (np.diff(section) != 0)).all()


PARENT = np.array([-1, 0, 1, 1, 0, 4], np.int32)


def test_children_of_nodes_left_out_move_up():
    tree = leave_out(PARENT, np.array([True, True, False, False, False, True]))
    assert tree.kept.tolist() == [0, 2, 3, 4]
    assert tree.parent.tolist() == [-1, 0, 0, 0]
    assert tree.stands_for.tolist() == [0, 0, 1, 2, 3, 3]
