import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.features.contexts import first_guess
from templ_core.page_level.model.page_type import (
    PAGE_TYPES,
    PageType,
    PageTypeModel,
    page_statistics,
)
from templ_core.page_level.selection.repeats import one_copy_enough


def test_statistics_are_means_by_content_and_by_words():
    features = np.array([[1.0, 10.0], [3.0, 20.0]], np.float32)
    words, attribute, text = np.array([30.0, 10.0]), np.array([8.0, -8.0]), np.array([8.0, -8.0])
    found = page_statistics(features, words, attribute, text)
    assert np.allclose(found[:2], [1, 10], atol=1e-3)
    assert np.allclose(found[2:4], [1.5, 12.5])
    assert np.allclose(found[4:], [np.log1p(30), np.log1p(40), 0.75, 8, 8, np.log(2)], atol=1e-3)


def slow_statistics(features, words, attribute, text):
    mass = words * first_guess(attribute, text)
    content, total = mass.sum(), words.sum()
    return [
        *(mass @ features / content),
        *(words @ features / total),
        *(np.log1p(content), np.log1p(total), content / total),
        *(mass @ attribute / content, mass @ text / content, np.log(len(words))),
    ]


@given(st.integers(0, 1 << 30), st.integers(1, 30), st.integers(1, 9))
def test_statistics_and_page_types_are_those_of_the_slow_twin(seed, size, columns):
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 3, (size, columns)).astype(np.float32)
    words = rng.integers(1, 90, size).astype(np.float64)
    attribute, text = rng.normal(0, 4, (2, size))
    found = page_statistics(features, words, attribute, text)
    assert np.allclose(found, slow_statistics(features, words, attribute, text), rtol=1e-12)
    inputs = len(found)
    model = PageTypeModel(
        mean=rng.normal(size=inputs).astype(np.float32),
        scale=rng.uniform(0, 2, inputs).astype(np.float32),
        weights=rng.normal(size=(inputs, len(PAGE_TYPES))).astype(np.float32),
        biases=rng.normal(size=len(PAGE_TYPES)).astype(np.float32),
    )
    log_odds = model.standardised(found) @ model.weights + model.biases
    share = np.exp(log_odds - log_odds.max()) / np.exp(log_odds - log_odds.max()).sum()
    page_type = model.page_type(found)
    assert np.allclose(
        [getattr(page_type, name) for name in PAGE_TYPES], share, rtol=0, atol=5.1e-4
    )


def test_a_regression_over_other_statistics_is_refused():
    one = np.zeros(1, np.float32)
    model = PageTypeModel(
        mean=one, scale=one, weights=np.zeros((1, 4), np.float32), biases=np.zeros(4, np.float32)
    )
    with pytest.raises(ValueError, match="other statistics"):
        model.page_type(np.zeros(2))


def test_the_page_type_with_the_largest_weight_is_the_likeliest():
    weights = np.array([[0.0, 2.0, 0.0, 0.0]], np.float32)
    model = PageTypeModel(
        mean=np.array([1.0], np.float32),
        scale=np.array([0.5], np.float32),
        weights=weights,
        biases=np.zeros(4, np.float32),
    )
    page_type = model.page_type(np.array([5.0]))
    expected = np.exp(4) / (np.exp(4) + 3)
    assert page_type.documentation == round(expected, 3)
    assert abs(sum(getattr(page_type, name) for name in PAGE_TYPES) - 1) < 0.01
    assert model.page_type(np.array([1.0])) == PageType(
        article=0.25, documentation=0.25, forum=0.25, other=0.25
    )


def test_documentation_may_repeat_its_text():
    once = np.array([True, False])
    assert one_copy_enough(once, PageType()).tolist() == [True, False]
    assert not one_copy_enough(once, PageType(documentation=0.9)).any()
