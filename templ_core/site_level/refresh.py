"""When a site's model is fitted anew."""

FIRST_FITS = (1, 2, 3, 5, 8, 12, 16, 24)
"""A new site's model is refitted when its window has learned this many documents, ..."""
GROWTH_RATIO = 0.10
"""... afterwards whenever this share of the window is new."""


def is_due(learned: int, fitted_at: int, pages: int) -> bool:
    """Whether the schedule asks for a fresh site model.

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` at the last fit.
        pages: Documents in the window.
    """
    new = learned - fitted_at
    if not new or not pages:
        return False
    if fitted_at < FIRST_FITS[-1]:
        return any(fitted_at < step <= learned for step in FIRST_FITS)
    return new >= GROWTH_RATIO * pages
