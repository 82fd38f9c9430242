"""Outputs of hand-made pages stay as they are; `python -m tests.golden.update` rewrites them."""

import pytest

from tests.golden.pages import FOLDER, PAGES, outputs


@pytest.mark.parametrize("name", PAGES)
def test_a_golden_page_is_cleaned_as_before(name):
    for file_name, text in outputs(name).items():
        assert text == (FOLDER / name / file_name).read_text("utf-8"), file_name


def test_there_is_a_page_of_each_kind():
    kinds = {"article", "comments", "consent", "documentation", "forum", "japanese", "listing"}
    assert kinds | {"shop"} <= set(PAGES)
