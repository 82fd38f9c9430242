from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.lab.training.fit_confidence import CONFIDENCE_PAGES_MIN, fit_confidence


def test_expectations_that_are_too_high_are_lowered():
    rng = np.random.default_rng(1)
    expected = rng.uniform(0.5, 1, 4000)
    found = np.clip(expected - 0.1 + rng.normal(0, 0.05, 4000), 0, 1)
    line = fit_confidence(expected.tolist(), found.tolist(), [1.0] * 4000)
    for value in (0.6, 0.75, 0.9):
        assert abs(line.of(value) - (value - 0.1)) < 0.02


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=CONFIDENCE_PAGES_MIN, max_size=150
    )
)
def test_confidence_never_falls_when_the_expected_f1_rises(pages):
    expected, found = zip(*pages, strict=True)
    line = fit_confidence(expected, found, [1.0] * len(pages))
    values = [line.of(value) for value in np.linspace(0, 1, 21)]
    assert all(0 <= value <= 1 for value in values)
    assert all(one <= other + 1e-6 for one, other in pairwise(values))


def test_few_pages_give_no_correction():
    assert fit_confidence([0.5] * 9, [0.9] * 9, [1.0] * 9).of(0.5) == 0.5
