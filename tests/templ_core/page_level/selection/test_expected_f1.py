from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level._selection import best_cut, plain_f1

SEGMENTS = st.lists(
    st.tuples(st.floats(-40, 40), st.integers(1, 50), st.booleans()), min_size=1, max_size=7
)


@given(SEGMENTS, st.floats(0, 1))
def test_no_other_selection_has_a_better_expected_f1(segments, recall_share):
    log_odds = np.array([log_odds for log_odds, _, _ in segments])
    words = np.array([float(words) for _, words, _ in segments])
    left_out = np.array([out for _, _, out in segments])
    mass = words / (1 + np.exp(-log_odds))
    kept, found = best_cut(log_odds, left_out, words, recall_share)

    def expected(choice):
        kept_words = words[choice].sum() + recall_share * mass[~left_out].sum()
        return 2 * mass[choice].sum() / (kept_words + 1e-9)

    choices = [
        np.array(choice) & ~left_out for choice in product([False, True], repeat=len(segments))
    ]
    best = max((expected(choice) for choice in choices if choice.any()), default=0)
    assert not (kept & left_out).any()
    assert kept.any() or left_out.all()
    assert found == pytest.approx(min(expected(kept), 1) if kept.any() else 0)
    if recall_share == 1:
        assert found >= best - 1e-9


@given(SEGMENTS, st.floats(0, 4), st.floats(0, 4))
def test_more_weight_of_recall_keeps_all_that_less_of_it_keeps(segments, one, other):
    log_odds, words, out = (np.array(column) for column in zip(*segments, strict=True))
    less, more = (
        best_cut(log_odds, out, words.astype(float), share)[0] for share in sorted((one, other))
    )
    assert not (less & ~more).any()


@given(SEGMENTS, st.randoms(use_true_random=False))
def test_the_plain_f1_counts_what_is_kept_and_what_is_not_left_out(segments, random):
    log_odds, words, out = (np.array(column) for column in zip(*segments, strict=True))
    words = words.astype(float)
    kept = np.array([random.random() < 0.5 for _ in segments])
    mass = words / (1 + np.exp(-log_odds))
    counted = words[kept].sum() + mass[kept | ~out].sum()
    expected = 2 * mass[kept].sum() / counted if counted else 0
    assert plain_f1(log_odds, kept, out, words) == pytest.approx(expected)


def test_something_is_always_kept():
    nothing = np.zeros(2, np.bool_)
    kept, _ = best_cut(np.array([-50.0, -40.0]), nothing, np.array([5.0, 9.0]), 0.95)
    assert kept.tolist() == [False, True]


def test_a_page_without_text_keeps_nothing():
    kept, expected = best_cut(np.empty(0), np.empty(0, np.bool_), np.empty(0), 0.95)
    assert kept.size == 0
    assert expected == 0.0
