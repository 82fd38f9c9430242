from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.isotonic import GRID, smooth

COARSE = [GRID[0], GRID[21], GRID[42], GRID[63]]


def cost(parent, score, weight, penalty, values):
    """Cost of an assignment, as the definition says it; None when a parent is above its child."""
    total = 0.0
    for node, value in enumerate(values):
        total += weight[node] * abs(score[node] - value)
        if parent[node] < 0:
            continue
        if values[parent[node]] > value:
            return None
        if values[parent[node]] != value:
            total += penalty[node]
    return total


def smoothed(parent, score, weight, penalty):
    columns = (np.array(column, float) for column in (score, weight, penalty))
    return smooth(np.array(parent, np.int32), *columns)


@st.composite
def trees(draw):
    count = draw(st.integers(1, 5))
    parent = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, count)]
    numbers = st.lists(st.sampled_from(COARSE), min_size=count, max_size=count)
    weights = st.lists(st.integers(0, 5), min_size=count, max_size=count)
    return parent, draw(numbers), draw(weights), draw(weights)


@given(trees())
def test_no_assignment_of_a_small_tree_costs_less(tree):
    parent, score, weight, penalty = tree
    result = smoothed(parent, score, weight, penalty)
    found = cost(parent, score, weight, penalty, result.score.tolist())
    costs = (
        cost(parent, score, weight, penalty, values)
        for values in product(COARSE, repeat=len(parent))
    )
    best = min(one for one in costs if one is not None)
    assert found is not None
    assert found <= best + 1e-9


@given(trees())
def test_nodes_of_a_section_are_connected_and_share_a_score(tree):
    parent, score, weight, penalty = tree
    result = smoothed(parent, score, weight, penalty)
    for node in range(1, len(parent)):
        same_section = result.section[node] == result.section[parent[node]]
        assert same_section == (result.score[node] == result.score[parent[node]])


def test_a_high_penalty_leaves_one_section():
    parent = np.array([-1, 0, 0, 1, 1], np.int32)
    score = np.array([0.0, 0.1, 0.9, 0.2, 0.8])
    ones = np.ones(5)
    assert len(set(smooth(parent, score, ones, 100 * ones).section)) == 1
    assert len(set(smooth(parent, score, ones, 0 * ones).section)) > 1
