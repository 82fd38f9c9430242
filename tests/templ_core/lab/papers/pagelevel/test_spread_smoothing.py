from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.papers.pagelevel.variants import (
    SPREAD_GRID,
    smooth_spread,
    smooth_spread_on_grid,
)

SCORES = [0.0, 0.25, 0.5, 1.0]


@st.composite
def trees(draw):
    count = draw(st.integers(1, 5))
    parent = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, count)]
    columns = [
        draw(st.lists(st.sampled_from(some), min_size=count, max_size=count))
        for some in (SCORES, [0.0, 1.0, 2.5], [0.0, 0.5, 1.5])
    ]
    return np.array(parent, np.int32), *(np.array(column) for column in columns)


def cost(tree, values):
    parent, score, weight, spread_weight = tree
    total = float((weight * np.abs(score - values)).sum())
    for node in range(len(parent)):
        below = [values[child] for child in range(len(parent)) if parent[child] == node]
        if below and min(below) < values[node]:
            return float("inf")
        if below:
            total += spread_weight[node] * (max(below) - values[node])
    return total


@given(trees())
def test_no_other_scores_cost_less(tree):
    values = np.unique(tree[1])
    smoothed = smooth_spread(*tree, values)
    best = min(cost(tree, np.array(some)) for some in product(SCORES, repeat=len(tree[0])))
    assert cost(tree, smoothed.score) == pytest.approx(best)


def test_weight_zero_changes_no_score_and_a_large_weight_makes_one_section():
    parent = np.array([-1, 0, 0], np.int32)
    score, ones = np.array([0.25, 0.5, 1.0]), np.ones(3)
    free = smooth_spread(parent, score, ones, 0 * ones, score)
    assert free.score.tolist() == [0.25, 0.5, 1.0]
    dear = smooth_spread(parent, score, ones, 100 * ones, score)
    assert set(dear.section.tolist()) == {0}


@given(trees())
def test_scores_on_the_grid_are_never_below_those_of_the_parents(tree):
    parent, score, weight, penalty = tree
    penalty[::2] = np.inf
    smoothed = smooth_spread_on_grid(parent, score, weight, penalty)
    assert np.isin(smoothed.score, SPREAD_GRID).all()
    assert (smoothed.score >= smoothed.score[np.maximum(parent, 0)]).all()
