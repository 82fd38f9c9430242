import numpy as np

from templ_core.page_level.page_kind import PAGE_KINDS, KindModel, PageKind, page_statistics
from templ_core.page_level.repeats import one_copy_enough


def test_statistics_are_means_by_content_and_by_words():
    features = np.array([[1.0, 10.0], [3.0, 20.0]], np.float32)
    words, attribute, text = np.array([30.0, 10.0]), np.array([8.0, -8.0]), np.array([8.0, -8.0])
    found = page_statistics(features, words, attribute, text)
    assert np.allclose(found[:2], [1, 10], atol=1e-3)
    assert np.allclose(found[2:4], [1.5, 12.5])
    assert np.allclose(found[4:], [np.log1p(30), np.log1p(40), 0.75, 8, 8, np.log(2)], atol=1e-3)


def test_the_kind_with_the_largest_weight_is_the_likeliest():
    weights = np.array([[0.0, 2.0, 0.0, 0.0]], np.float32)
    model = KindModel(
        mean=np.array([1.0], np.float32),
        scale=np.array([0.5], np.float32),
        weights=weights,
        biases=np.zeros(4, np.float32),
    )
    kind = model.page_kind(np.array([5.0]))
    expected = np.exp(4) / (np.exp(4) + 3)
    assert kind.documentation == round(expected, 3)
    assert abs(sum(getattr(kind, name) for name in PAGE_KINDS) - 1) < 0.01
    assert model.page_kind(np.array([1.0])) == PageKind(
        article=0.25, documentation=0.25, forum=0.25, other=0.25
    )


def test_documentation_may_repeat_itself():
    once = np.array([True, False])
    assert one_copy_enough(once, PageKind()).tolist() == [True, False]
    assert not one_copy_enough(once, PageKind(documentation=0.9)).any()
