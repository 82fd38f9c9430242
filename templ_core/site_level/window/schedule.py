"""When a site's model is fitted anew, and when its templates are."""

from templ_core.site_level.config import SCHEDULE, ScheduleConfig


def is_due(learned: int, fitted_at: int, pages: int, config: ScheduleConfig = SCHEDULE) -> bool:
    """Return whether the schedule asks for a fresh site model.

    >>> [learned for learned in range(1, 30) if is_due(learned, learned - 1, learned)]
    [1, 2, 3, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24]
    >>> is_due(1150, 1000, 1000)  # 15 % of the window are new
    True

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` at the last fit.
        pages: Documents in the window.
        config: The schedule.
    """
    new = learned - fitted_at
    if not new or not pages:
        return False
    if fitted_at < config.first_fits[-1]:
        return any(fitted_at < step <= learned for step in config.first_fits)
    return new >= config.growth_ratio * pages


def templates_overdue(
    learned: int,
    fitted_at: int,
    pages: int,
    template_pages: int,
    config: ScheduleConfig = SCHEDULE,
) -> float:
    """Return the new documents over the number at which templates are due: they are from 1 on.

    Templates are fitted on two documents first, then each time that twice as many have come since, until
    that would be later than when the documents they are fitted on were all replaced twice, or a share of
    the window is new.

    >>> templates_overdue(learned=18, fitted_at=6, pages=18, template_pages=25)
    1.0
    >>> templates_overdue(learned=1050, fitted_at=1000, pages=1000, template_pages=25)
    0.2

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` when the templates were fitted last.
        pages: Documents in the window.
        template_pages: Number of the latest documents that templates are fitted on.
        config: The schedule.
    """
    if not pages:
        return 0.0
    most = max(config.templates_turnovers * template_pages, config.templates_growth_ratio * pages)
    return (learned - fitted_at) / max(
        config.first_templates, min(config.young_growth_ratio * fitted_at, most)
    )
