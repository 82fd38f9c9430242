"""Voted trees and counts of paths equal obvious ones."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.site_level.trees.labelled_tree import build_tree
from templ_core.site_level.trees.path_counts import NO_PATHS
from templ_core.site_level.trees.voted_tree import VotedTree
from tests.templ_core.site_level.trees.slow_voted_tree import SlowVotedTree


@st.composite
def pages(draw):
    """Draw a tree of elements with labels 1 to 3 whose leaves are mostly texts with labels 11 to 14."""
    depths = [0]
    for _ in range(draw(st.integers(0, 11))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    is_leaf = [below <= depth for depth, below in zip(depths, [*depths[1:], 0], strict=True)]
    is_text = [
        leaf and bool(depth) and draw(st.integers(0, 3))
        for leaf, depth in zip(is_leaf, depths, strict=True)
    ]
    labels = [draw(st.integers(11, 14) if text else st.integers(1, 3)) for text in is_text]
    return build_tree(
        label=np.array([1, *labels[1:]], np.uint64),
        depth=np.array(depths, np.int32),
        segment=np.array([n if text else -1 for n, text in enumerate(is_text)], np.int32),
    )


def assert_equal(tree, slow):
    columns = tree.columns
    assert columns.tree.label.tolist() == [node.label for node in slow.nodes]
    assert columns.tree.depth.tolist() == [node.depth for node in slow.nodes]
    assert (columns.tree.segment >= 0).tolist() == [node.segment >= 0 for node in slow.nodes]
    assert columns.support.tolist() == [node.support for node in slow.nodes]
    texts = columns.texts
    for node, (start, end) in enumerate(zip(texts.start[:-1], texts.start[1:], strict=True)):
        found = zip(texts.text[start:end].tolist(), texts.pages[start:end].tolist(), strict=True)
        assert dict(found) == slow.nodes[node].texts
    expected = [
        (place, text, on)
        for place, node in enumerate(slow.nodes)
        for text, on in sorted(node.texts.items(), key=lambda one: (-one[1], one[0]))[:2]
        if on > 1
    ]
    assert list(zip(*(column.tolist() for column in texts.recurring(2)), strict=True)) == expected


@settings(deadline=None)
@given(st.lists(pages(), min_size=1, max_size=8), st.integers(4, 30))
def test_votes_equal_those_of_the_obvious_tree(some, nodes_max):
    tree, slow = VotedTree(), SlowVotedTree()
    for number, page in enumerate(some, 1):
        tree.add(page, nodes_max)
        slow.add(page, nodes_max)
        assert tree.pages == number
        assert_equal(tree, slow)


PATHS = st.sets(st.integers(0, 9)).map(lambda some: np.array(sorted(some), np.uint64))


@given(st.lists(PATHS), PATHS)
def test_likeness_is_dices_coefficient_weighted_by_shares_of_pages(some, asked):
    counts = NO_PATHS
    for paths in some:
        counts = counts.with_page(paths)
    pages_with = Counter(path for paths in some for path in paths.tolist())
    assert dict(zip(counts.paths.tolist(), counts.pages.tolist(), strict=True)) == pages_with
    assert counts.paths.tolist() == sorted(pages_with)
    shared = sum(pages_with[path] / len(some) for path in asked.tolist()) if some else 0
    whole = sum(pages_with.values()) / max(len(some), 1) + asked.size
    expected = 2 * shared / whole if whole else 0.0
    assert abs(counts.likeness(asked, len(some)) - expected) < 1e-12
