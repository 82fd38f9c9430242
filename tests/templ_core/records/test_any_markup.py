"""Records of any markup, however broken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.records.read_records import read_records
from tests.templ_core.any_markup import ATTRIBUTES, TAGS, TEXTS, any_markup

MARKUP = any_markup(
    st.one_of(TEXTS, st.sampled_from(["2024-03-02", "Weight: 1 kg", "$ 5.00", "Ann"])),
    tags=(*TAGS, "dl", "dt", "dd", "th"),
    attributes=(*ATTRIBUTES, "class=author", "class=signature", "href=/members/7", "href=/lamps/7"),
)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["forum", "listing", "product"])
@settings(deadline=None, max_examples=150)
@given(markup=MARKUP)
def test_any_markup_has_records_of_the_right_form(kind, markup):
    page = parse_document(markup, "https://example.com/a", with_marks=True)
    kept = np.arange(len(page.segments.texts)) % 3 > 0
    records = read_records(page, kept, "https://example.com/a", times=(), language="", kind=kind)
    assert all(post.text for post in records.records.posts)
    assert all(item.name and "://" in item.url for item in records.records.items)
    assert all(field.name and field.value for field in records.records.fields)
    assert not records.is_cut
