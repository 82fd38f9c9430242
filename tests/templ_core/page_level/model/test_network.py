from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.model.network import Network


def network(rng, sizes):
    return Network(
        mean=rng.normal(size=sizes[0]).astype(np.float32),
        scale=rng.uniform(0, 2, sizes[0]).astype(np.float32),
        weights=[rng.normal(size=shape).astype(np.float32) for shape in pairwise(sizes)],
        biases=[rng.normal(size=size).astype(np.float32) for size in sizes[1:]],
    )


def obvious_log_odds(model, rows):
    """Return log-odds in double precision, one row after the other."""
    log_odds = []
    for row in rows:
        values = model.standardised(row[None])[0].astype(np.float64)
        for weights, biases in zip(model.weights, model.biases, strict=True):
            last = values = values @ weights.astype(np.float64) + biases
            values = np.maximum(values, 0)
        log_odds.append(last[0])
    return np.array(log_odds)


@given(
    seed=st.integers(0, 1 << 30),
    count=st.integers(1, 20),
    inputs=st.integers(1, 40),
    hidden=st.lists(st.integers(1, 70), max_size=3),
)
def test_networks_of_any_size_give_the_log_odds_of_the_slow_twin(seed, count, inputs, hidden):
    rng = np.random.default_rng(seed)
    model = network(rng, [inputs, *hidden, 1])
    rows = rng.normal(0, 4, (count, inputs)).astype(np.float32)
    expected = obvious_log_odds(model, rows)
    size = np.abs(expected).max() + 10 ** len(hidden)
    assert np.allclose(model.log_odds(rows), expected, rtol=0, atol=1e-5 * size)


def test_a_row_has_the_same_log_odds_whatever_stands_beside_it():
    rng = np.random.default_rng(5)
    model = network(rng, [143, 64, 32, 1])
    rows = rng.normal(0, 4, (17, 143)).astype(np.float32)
    log_odds = model.log_odds(rows)
    assert log_odds.tolist() == [model.log_odds(row[None])[0] for row in rows]


def test_a_network_for_other_features_is_refused():
    model = network(np.random.default_rng(1), [5, 3, 1])
    with pytest.raises(ValueError, match="other features"):
        model.log_odds(np.zeros((2, 6), np.float32))
