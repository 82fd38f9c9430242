import pytest

from templ_core.site_level.refresh import is_due


@pytest.mark.parametrize(
    ("learned", "fitted_at", "pages", "due"),
    [
        (1, 0, 1, True),
        (4, 3, 4, False),
        (5, 3, 5, True),
        (9, 3, 9, True),
        (25, 24, 25, False),
        (27, 24, 27, True),
        (1100, 1000, 1000, True),
        (1099, 1000, 1000, False),
        (5, 5, 5, False),
        (5, 3, 0, False),
    ],
)
def test_the_schedule(learned, fitted_at, pages, due):
    assert is_due(learned, fitted_at, pages) == due
