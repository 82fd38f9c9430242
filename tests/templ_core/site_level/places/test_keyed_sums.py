from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.site_level.places.keyed_sums import count_keys, sum_by_key

KEYS = st.lists(st.integers(0, 9), max_size=12)


def of(keys):
    return count_keys(np.array(keys, np.uint64))


def as_dict(counts):
    return dict(zip(counts.keys.tolist(), counts.sums[0].tolist(), strict=True))


@given(KEYS, KEYS)
def test_sums_are_those_of_all_keys_together(one, other):
    assert as_dict(of(one).plus(of(other))) == Counter(one + other)
    assert as_dict(of(one).plus(of(other))) == Counter(one + other)


@given(KEYS, KEYS)
def test_subtracting_what_was_added_gives_the_sums_before(one, other):
    again = of(one).plus(of(other)).minus(of(other))
    assert again.keys.tolist() == of(one).keys.tolist()
    assert again.sums.tolist() == of(one).sums.tolist()


@given(KEYS)
def test_unknown_keys_have_sums_of_zero(keys):
    asked = list(range(12))
    assert of(keys).of(np.array(asked, np.uint64))[0].tolist() == [keys.count(k) for k in asked]


def test_labels_stay_with_their_keys():
    keys = np.array([7, 3, 7], np.uint64)
    counts = sum_by_key(keys, np.ones((1, 3), np.int64), keys[None] * np.uint64(2))
    assert counts.labels.tolist() == [[6, 14]]
    assert counts.where(np.array([False, True])).labels.tolist() == [[14]]


def test_sums_stay_contiguous_when_keys_are_left_out():
    keys = np.array([7, 3, 7, 5], np.uint64)
    counts = sum_by_key(keys, np.arange(8).reshape(2, 4))
    chosen = counts.where(np.array([True, False, True]))
    assert chosen.sums.tolist() == [[1, 2], [5, 10]]
    for one in (counts, chosen, counts.plus(chosen), counts.plus(chosen).minus(counts)):
        assert one.sums.flags.c_contiguous


def test_labels_are_contiguous_so_that_they_can_be_looked_up():
    keys = np.array([7, 3, 7], np.uint64)
    counts = sum_by_key(keys, np.ones((1, 3), np.int64), np.stack([keys, keys + np.uint64(1)]))
    assert counts.of(counts.labels[0]).tolist() == [[1, 2]]


@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(0, 2**64 - 1)))
def test_keys_are_found_however_they_are_spread(keys, others):
    asked = np.array([*keys, *others], np.uint64)
    assert of(keys).of(asked)[0].tolist() == [keys.count(one) for one in asked.tolist()]
