import pytest

from templ_core.site_level.window.revisions import changed_ratio, revision_reason


@pytest.mark.parametrize(
    ("model_documents", "looked_at", "documents", "reason"),
    [
        (0, 0, 5, None),
        (0, 0, 8, "first-mature-model"),
        (5, 5, 12, "first-mature-model"),
        (0, 0, 24, "settled-model"),
        (8, 8, 16, None),
        (8, 8, 27, "settled-model"),
        (5, 12, 16, None),
        (24, 24, 1000, None),
    ],
)
def test_a_text_is_looked_at_again_when_its_model_grows_up(
    model_documents, looked_at, documents, reason
):
    assert revision_reason(model_documents, looked_at, documents) == reason


@pytest.mark.parametrize(
    ("model_documents", "looked_at", "documents", "reason"),
    [
        (100, 100, 107, None),
        (100, 100, 108, "redesign"),
        (103, 110, 120, None),
        (103, 110, 124, "redesign"),
        (124, 124, 200, None),
    ],
)
def test_after_a_change_of_design_the_documents_since_then_count(
    model_documents, looked_at, documents, reason
):
    assert revision_reason(model_documents, looked_at, documents, 100) == reason


def test_change_is_counted_in_words_of_both_texts():
    assert changed_ratio("one two\nthree four", "one two\nthree four") == 0
    assert changed_ratio("one two\nthree four", "one two\nthree") == 1 / 4
    assert changed_ratio("one two", "three") == 1
    assert changed_ratio("", "") == 0


def test_what_is_cut_out_of_a_paragraph_counts():
    assert changed_ratio("We met. Read our letter every week.", "We met.") == 5 / 7
