import functools
import operator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom._tree import bits_above, tag_bits
from templ_core.dom.tree import sums_above, sums_below, tree_of_depths

FORESTS = st.lists(st.integers(0, 5), max_size=60).map(
    lambda steps: [0, *_depths(steps)] if steps else []
)


def _depths(steps):
    depth = 0
    for step in steps:
        depth = min(depth + 1, step)
        yield depth


def ancestors(depth, node):
    """Return the node itself, its parent, and so on up to the root."""
    found = [node]
    for before in range(node - 1, -1, -1):
        if depth[before] < depth[found[-1]]:
            found.append(before)
    return found


@given(FORESTS)
def test_parents_and_ends_of_subtrees_follow_from_depths(depth):
    parent, end = tree_of_depths(depth)
    above = [ancestors(depth, node) for node in range(len(depth))]
    assert parent.tolist() == [chain[1] if chain[1:] else -1 for chain in above]
    for node in range(len(depth)):
        inside = [other for other, chain in enumerate(above) if node in chain]
        assert inside == list(range(node, end[node]))


@given(FORESTS)
def test_sums_over_ancestors_and_over_subtrees(depth):
    _, end = tree_of_depths(depth)
    above = [ancestors(depth, node) for node in range(len(depth))]
    values = np.arange(1.0, len(depth) + 1)
    assert sums_above(end, values).tolist() == [sum(values[chain]) for chain in above]
    below = [
        sum(values[other] for other, chain in enumerate(above) if n in chain)
        for n in range(len(depth))
    ]
    assert sums_below(end, values).tolist() == below


@given(FORESTS, st.data())
def test_bits_of_a_node_and_all_its_ancestors_are_joined(depth, data):
    element_type = data.draw(st.lists(st.integers(0, 2), min_size=len(depth), max_size=len(depth)))
    bits = data.draw(st.lists(st.integers(0, 7), min_size=3, max_size=3))
    at = data.draw(st.lists(st.sampled_from(range(len(depth))))) if depth else []
    parent, _ = tree_of_depths(depth)
    found = bits_above(parent, *(np.array(one, np.int32) for one in (element_type, bits, at)))
    for node, of_node in zip(at, found.tolist(), strict=True):
        assert of_node == functools.reduce(
            operator.or_, [bits[element_type[above]] for above in ancestors(depth, node)]
        )


def test_bits_of_the_tags_of_element_types():
    element_types = [("p", "a"), ("td", ""), ("p", ""), ("pre", "b")]
    assert tag_bits(element_types, {"p": 1, "pre": 6}).tolist() == [1, 0, 1, 6]
