import pytest

from templ_core.site_level.window.schedule import is_due


@pytest.mark.parametrize(
    ("learned", "fitted_at", "pages", "due"),
    [
        (1, 0, 1, True),
        (4, 3, 4, True),
        (7, 6, 7, False),
        (5, 3, 5, True),
        (9, 3, 9, True),
        (25, 24, 25, False),
        (28, 24, 28, False),
        (29, 24, 29, True),
        (1150, 1000, 1000, True),
        (1149, 1000, 1000, False),
        (5, 5, 5, False),
        (5, 3, 0, False),
    ],
)
def test_models_are_due_with_each_page_at_first_and_then_for_each_seventh_of_the_window(
    learned, fitted_at, pages, due
):
    assert is_due(learned, fitted_at, pages) == due


@pytest.mark.parametrize(
    ("new", "place_pages", "due"),
    [
        (3, [0, 0, 0], True),
        (1, [3, 3, 3], True),
        (1, [6, 6, 6], False),
        (2, [3, 3, 3], True),
        (1, [8, 8, 8], False),
        (3, [0, 0, 60], False),
        (3, [0, 0], False),
        (3, [None, 0, 0], False),
    ],
)
def test_three_documents_in_a_row_of_a_design_that_is_hardly_known_bring_a_model(
    new, place_pages, due
):
    assert is_due(100 + new, 100, 100, place_pages) == due
