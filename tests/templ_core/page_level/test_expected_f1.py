from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.expected_f1 import best_cut

SEGMENTS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=7)


@given(SEGMENTS)
def test_no_other_choice_has_a_better_expected_f1(segments):
    probability = np.array([p for p, _ in segments])
    words = np.array([float(w) for _, w in segments])
    kept, _ = best_cut(probability, words, 1.0)

    def expected(choice):
        mass = (probability * words)[choice].sum()
        return 2 * mass / (words[choice].sum() + (probability * words).sum() + 1e-9)

    best = max(
        expected(np.array(choice, bool))
        for choice in product([False, True], repeat=len(segments))
        if any(choice)
    )
    assert expected(kept) >= best - 1e-9


def test_something_is_always_kept():
    kept, _ = best_cut(np.array([0.01, 0.02]), np.array([5.0, 9.0]), 0.95)
    assert kept.any()


def test_a_page_without_text_keeps_nothing():
    kept, expected = best_cut(np.empty(0), np.empty(0), 0.95)
    assert kept.size == 0
    assert expected == 0.0
