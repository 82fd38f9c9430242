from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.papers.kolcz_yih.block_detector import cut_points

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40)


def bits(labels):
    share = sum(labels) / len(labels)
    return sum(-part * log2(part) for part in (share, 1 - share) if part > 0)


def slowly(pairs):
    """The paper's algorithm as it is written: on lists, by recursion."""
    values = sorted({value for value, _ in pairs})
    best = None
    for low, high in pairwise(values):
        left = [label for value, label in pairs if value <= low]
        right = [label for value, label in pairs if value > low]
        mixed = (len(left) * bits(left) + len(right) * bits(right)) / len(pairs)
        if best is None or mixed < best[0] - 1e-12:
            best = mixed, (low + high) / 2, left, right
    if best is None:
        return []
    mixed, cut, left, right = best
    whole = [label for _, label in pairs]
    kinds = [len(set(some)) for some in (whole, left, right)]
    told = log2(3 ** kinds[0] - 2) - (
        kinds[0] * bits(whole) - kinds[1] * bits(left) - kinds[2] * bits(right)
    )
    if bits(whole) - mixed <= (log2(len(pairs) - 1) + told) / len(pairs) + 1e-12:
        return []
    return [
        *slowly([pair for pair in pairs if pair[0] < cut]),
        cut,
        *slowly([pair for pair in pairs if pair[0] > cut]),
    ]


@given(PAIRS)
def test_cut_points_equal_those_of_the_recursive_algorithm(pairs):
    values, labels = zip(*pairs, strict=True)
    assert cut_points(np.array(values, float), np.array(labels)).tolist() == slowly(pairs)


@pytest.mark.parametrize("border", [0.3, 0.8])
def test_one_border_between_the_classes_is_found(border):
    values = np.random.default_rng(1).random(2000)
    cuts = cut_points(values, values > border)
    assert len(cuts) == 1
    assert cuts[0] == pytest.approx(border, abs=0.01)


def test_noise_has_no_borders():
    rng = np.random.default_rng(2)
    assert not len(cut_points(rng.random(2000), rng.random(2000) > 0.5))


def test_two_borders_between_the_classes_are_found():
    values = np.linspace(0, 1, 3000)
    cuts = cut_points(values, (values > 0.2) & (values < 0.6))
    assert cuts == pytest.approx([0.2, 0.6], abs=0.01)
