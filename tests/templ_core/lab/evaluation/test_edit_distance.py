from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.evaluation.words import edit_distance, text_distance

words = st.lists(st.sampled_from("abc"), max_size=8)


def by_definition(one, other):
    @cache
    def distance(left, right):
        if left == 0 or right == 0:
            return left + right
        return min(
            distance(left - 1, right) + 1,
            distance(left, right - 1) + 1,
            distance(left - 1, right - 1) + (one[left - 1] != other[right - 1]),
        )

    return distance(len(one), len(other))


@given(words, words)
def test_edit_distance_equals_its_recursive_definition(one, other):
    assert edit_distance(one, other) == by_definition(one, other)


def test_text_distance_is_relative_to_the_longer_text():
    assert text_distance("One two, three four", "one TWO three") == 0.25
    assert text_distance("a b", "c d") == 1.0
    assert text_distance("", "") == 0.0
    assert text_distance("a", "") == 1.0
