import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.characters import mix
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model._attribute_scores import name_places
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, stem_hashes
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_type import (
    PAGE_TYPES,
    PageType,
    PageTypeModel,
    page_statistics,
)
from templ_core.page_level.selection import one_copy_enough
from tests.templ_core.page_level.features.slow_contexts import first_guess

NO_NAMES = np.empty(0, np.int64)


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


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p", "div", "html", "h1"]),
            st.text("aBc-1 _é\n", max_size=30) | st.just("postComments post-17"),
        ),
        max_size=9,
    )
)
def test_names_are_those_of_the_slow_twin(element_types):
    stems = {stem for _, attributes in element_types for stem in stem_hashes(attributes)}
    tags = {zlib.crc32(tag.encode()) | 1 << 32 for tag, _ in element_types}
    hashes = np.array([*stems, *tags], np.uint64)
    places = np.unique(mix(hashes) % np.uint64(NAMES_SIZE)).tolist()
    assert name_places(element_types, NAMES_SIZE).tolist() == places


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
        names=rng.integers(-127, 128, (NAMES_SIZE, len(PAGE_TYPES))).astype(np.int8),
        unit=0.01,
    )
    names = np.unique(rng.integers(0, NAMES_SIZE, rng.integers(0, 40)))
    log_odds = model.standardised(found) @ model.weights + model.biases
    if len(names):
        log_odds += 0.01 * model.names[names].sum(axis=0, dtype=np.int64) / len(names) ** 0.5
    share = np.exp(log_odds - log_odds.max()) / np.exp(log_odds - log_odds.max()).sum()
    page_type = model.page_type(found, names)
    assert np.allclose(
        [getattr(page_type, name) for name in PAGE_TYPES], share, rtol=0, atol=5.1e-4
    )


def test_a_regression_over_other_statistics_is_refused():
    one = np.zeros(1, np.float32)
    model = small_model(one, one, np.zeros((1, 6), np.float32))
    with pytest.raises(ValueError, match="other statistics"):
        model.page_type(np.zeros(2), NO_NAMES)


def small_model(mean, scale, weights):
    return PageTypeModel(
        mean=mean,
        scale=scale,
        weights=weights,
        biases=np.zeros(6, np.float32),
        names=np.zeros((NAMES_SIZE, 6), np.int8),
        unit=1.0,
    )


def test_the_page_type_with_the_largest_weight_is_the_likeliest():
    weights = np.array([[0.0, 2.0, 0.0, 0.0, 0.0, 0.0]], np.float32)
    model = small_model(np.array([1.0], np.float32), np.array([0.5], np.float32), weights)
    page_type = model.page_type(np.array([5.0]), NO_NAMES)
    assert page_type.documentation == round(np.exp(4) / (np.exp(4) + 5), 3)
    assert abs(sum(getattr(page_type, name) for name in PAGE_TYPES) - 1) < 0.01
    equal = model.page_type(np.array([1.0]), NO_NAMES)
    assert equal == PageType(**dict.fromkeys(PAGE_TYPES, 0.167))


SHOP = (
    "<div class=product><span class=price>9</span><form class=cart><button class=add-to-cart>Buy"
    "</button></form><div class=product-description>A lamp.</div></div>"
)
THREAD = (
    "<div class=topic><div class=post id=post1><div class=postbody>Hello.</div></div>"
    "<div class=post id=post2><div class=postbody>Hi.</div></div></div>"
)


@pytest.mark.parametrize(("markup", "likely"), [(SHOP, "product"), (THREAD, "forum")])
def test_class_names_tell_the_page_type(markup, likely):
    document = parse_document(markup, "https://example.com/")
    reading = shipped_model().read(document, read_features(document))
    plain = parse_document(re.sub(" (class|id)=[a-z0-9-]+", "", markup), "https://example.com/")
    other = shipped_model().read(plain, read_features(plain))
    assert getattr(reading.page_type, likely) > getattr(other.page_type, likely)


def test_documentation_may_repeat_its_text():
    once = np.array([True, False])
    assert one_copy_enough(once, PageType()).tolist() == [True, False]
    assert not one_copy_enough(once, PageType(documentation=0.9)).any()
