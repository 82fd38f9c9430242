from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.segmentation import adjusted_rand, largest_fragments

GROUPINGS = st.integers(2, 12).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


@given(GROUPINGS)
def test_the_index_agrees_with_scikit_learn(groupings):
    one, other = groupings
    assert adjusted_rand(np.array(one), np.array(other)) == pytest.approx(
        adjusted_rand_score(one, other)
    )


def test_equal_groupings_score_one_whatever_numbers_they_use():
    assert adjusted_rand(np.array([3, 3, 5, 7]), np.array([0, 0, 1, 2])) == 1.0
    assert adjusted_rand(np.zeros(4, int), np.zeros(4, int)) == 1.0
    assert adjusted_rand(np.zeros(1, int), np.zeros(1, int)) == 1.0


def test_single_objects_against_one_group_score_zero():
    assert adjusted_rand(np.arange(5), np.zeros(5, int)) == 0.0


def test_fragments_are_the_largest_elements_with_one_label():
    document = parse_document(
        "<body><nav><ul><li>a</li><li>b</li></ul></nav>"
        "<div><h1>c</h1><p>d</p><aside>e</aside><p>f</p></div></body>",
        "",
    )
    kind = np.array([0, 0, 1, 1, 0, 1])
    group = largest_fragments(document, kind)
    together = {(i, j) for i, j in combinations(range(6), 2) if group[i] == group[j]}
    assert together == {(0, 1)}
    assert len(set(largest_fragments(document, np.zeros(6, int)).tolist())) == 1


def test_text_beside_blocks_with_another_label_is_a_fragment_of_its_own():
    document = parse_document("<div>a<p>b</p>c</div>", "")
    assert len(set(largest_fragments(document, np.array([1, 0, 1])).tolist())) == 3
