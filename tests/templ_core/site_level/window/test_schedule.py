from itertools import pairwise

import pytest

from templ_core.site_level.window.schedule import is_due, templates_overdue


@pytest.mark.parametrize(
    ("learned", "fitted_at", "pages", "due"),
    [
        (1, 0, 1, True),
        (4, 3, 4, False),
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
def test_models_are_due_often_at_first_and_then_for_each_seventh_of_the_window(
    learned, fitted_at, pages, due
):
    assert is_due(learned, fitted_at, pages) == due


def test_templates_are_fitted_at_growing_distances_until_their_documents_are_new():
    fitted, at = [], 0
    for learned in range(1, 2000):
        if templates_overdue(learned, at, min(learned, 400), 25) >= 1:
            at = learned
            fitted.append(at)
    assert fitted[:8] == [2, 6, 18, 54, 104, 154, 206, 275]
    assert all(later - earlier == 100 for earlier, later in pairwise(fitted[-5:]))


def test_the_most_overdue_templates_have_waited_for_most_of_their_documents():
    assert templates_overdue(8, 4, 8, 25) < templates_overdue(16, 4, 16, 25)
    assert templates_overdue(1100, 1000, 1000, 25) < 1
    assert templates_overdue(9, 0, 0, 25) == 0
