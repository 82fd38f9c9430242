"""When a site's model is fitted anew."""

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
