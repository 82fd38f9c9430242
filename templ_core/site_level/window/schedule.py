"""When a site's model is fitted anew, and when its templates are."""

FIRST_FITS = (1, 2, 3, 5, 8, 12, 16, 24)
"""A new site's model is refitted when its window has learned this many documents, ..."""
GROWTH_RATIO = 0.10
"""... afterwards whenever this share of the window is new."""
FIRST_TEMPLATES = 2
"""Templates are fitted on two documents first, then on twice as many, ..."""
TEMPLATES_GROWTH_RATIO = 0.25
"""... until this share of the window is less than as many, and more than they are fitted on."""


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


def templates_overdue(learned: int, fitted_at: int, pages: int, template_pages: int) -> float:
    """New documents over those after which templates are fitted anew: they are due from 1 on.

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` when the templates were fitted last.
        pages: Documents in the window.
        template_pages: The latest documents that templates are fitted on.
    """
    if not pages:
        return 0.0
    most = max(template_pages, TEMPLATES_GROWTH_RATIO * pages)
    return (learned - fitted_at) / max(FIRST_TEMPLATES, min(fitted_at, most))
