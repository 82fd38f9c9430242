"""Pages of each hostile shape are cleaned or refused; tests/benchmarks measures what they cost."""

import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import HostilePage, PageError
from tests.hostile_pages import CASES
from tests.hostile_shapes import SHAPES

SCALE = 0.05
"""Size of the pages relative to the study; tests/benchmarks/hostile_shapes.py measures full sizes."""


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_page_gives_the_right_text_or_a_clear_refusal(name):
    case = CASES[name]
    body = case.make(SCALE)
    if case.refusals and not case.expected:
        with pytest.raises(PageError) as refusal:
            read_document(body, "https://example.com/")
        assert type(refusal.value).__name__ in case.refusals
        assert 0 < len(str(refusal.value)) < 200
        return
    cleaned = clean(read_document(body, "https://example.com/"), None, CoreConfig())
    assert [text for text in case.expected if text not in cleaned.text] == []
    assert ("empty" in cleaned.warnings) == (not case.expected) == (not cleaned.text)


def test_a_page_above_the_limit_is_refused_with_both_sizes():
    with pytest.raises(PageError, match="50002236 bytes, at most 33554432 are allowed"):
        read_document(CASES["50 MB text node"].make(1.0), "https://example.com/")


SIZE = 600_000
"""Characters; loops that grow with the square of a page take minutes with them."""


@pytest.mark.parametrize("name", SHAPES)
def test_a_hostile_shape_is_cleaned_or_refused(name):
    page = SHAPES[name](SIZE)
    body = page if isinstance(page, bytes) else page.encode()
    try:
        text = clean(read_document(body, "https://example.com/"), None, CoreConfig()).text
    except HostilePage as refusal:
        text = str(refusal)
    assert text
