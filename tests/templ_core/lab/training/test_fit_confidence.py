import numpy as np

from templ_core.lab.training.fit_confidence import CONFIDENCE_PAGES_MIN, fit_confidence
from templ_core.page_level.model.confidence import EXPECTED, confidence_inputs
from templ_core.page_level.model.page_type import PageType

ARTICLE, PRODUCT = PageType(article=1.0, other=0.0), PageType(product=1.0, other=0.0)


def inputs(expected, page_type):
    kept, words = np.array([True, False]), np.array([100.0, 100.0])
    return confidence_inputs(expected, kept, words, page_type)


def test_expectations_that_are_too_high_for_a_page_type_are_lowered():
    rng = np.random.default_rng(1)
    expected = rng.uniform(0.5, 0.99, 4000)
    lost = np.where(np.arange(4000) % 2, 0.3, 0.02)
    found = np.clip(expected - lost + rng.normal(0, 0.02, 4000), 0, 1)
    pages = [
        inputs(float(one), PRODUCT if number % 2 else ARTICLE)
        for number, one in enumerate(expected)
    ]
    fitted = fit_confidence(pages, found.tolist(), [1.0] * 4000)
    for value in (0.6, 0.75, 0.9):
        assert abs(fitted.of(inputs(value, ARTICLE)) - (value - 0.02)) < 0.05
        assert abs(fitted.of(inputs(value, PRODUCT)) - (value - 0.3)) < 0.05
    assert fitted.of(inputs(0.9, ARTICLE)) > fitted.of(inputs(0.8, ARTICLE))


def test_few_pages_give_no_correction():
    few = [inputs(0.5, ARTICLE)] * (CONFIDENCE_PAGES_MIN - 1)
    assert fit_confidence(few, [0.9] * len(few), [1.0] * len(few)) == EXPECTED
    assert abs(EXPECTED.of(inputs(0.5, PRODUCT)) - 0.5) < 1e-12
