"""When a site's model is refitted."""

import math
from collections.abc import Sequence

from templ_core.site_level.config import REVISIONS_CONFIG, SCHEDULE_CONFIG
from templ_core.site_level.window.new_text import begins_to_repeat


def is_due(
    learned: int,
    fitted_at: int,
    pages: int,
    place_pages: Sequence[int | None] = (),
    new_runs: Sequence[bytes] = (),
) -> bool:
    """Return whether the schedule asks for a fresh site model.

    A text that the newest pages share, and that the last model does not know, is learned at once.

    A design that the last model hardly knows is learned as a new site is, until its model is settled. It takes
    several documents in a row to make a design: one odd page among others is no new design.

    >>> [learned for learned in range(1, 30) if is_due(learned, learned - 1, learned)]
    [1, 2, 3, 4]
    >>> is_due(1250, 1000, 1000)  # 25 % of the window are new
    True
    >>> is_due(1003, 1000, 1000, [0, 0, 0]), is_due(1003, 1000, 1000, [0, 700, 0])
    (True, False)

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` at the last fit.
        pages: Documents in the window.
        place_pages: For each of the latest documents, oldest first, `SiteEvidence.place_pages` of the model that
            it was cleaned with; None where there was none.
        new_runs: `SiteEvidence.new_runs` of the latest documents, without what a fit has learned.
    """
    new = learned - fitted_at
    if pages > 0 and begins_to_repeat(new_runs):
        return True
    known = [
        pages for pages in place_pages[-SCHEDULE_CONFIG.design_documents :] if pages is not None
    ]
    if (
        len(known) == SCHEDULE_CONFIG.design_documents
        and max(known) < REVISIONS_CONFIG.settled_documents
    ):
        pages = min(pages, max(known) + new)
    return new > 0 and pages > 0 and new >= SCHEDULE_CONFIG.growth_ratio * pages


def documents_until_due(learned: int, fitted_at: int, pages: int) -> int:
    """Return how many documents a site learns, 1 or more, until the schedule asks for a fresh model.

    It asks earlier if the site's design changes, or if documents leave the window.

    >>> documents_until_due(1000, 1000, 1000), is_due(1333, 1000, 1333), is_due(1334, 1000, 1334)
    (334, False, True)

    Args:
        learned: Documents that ever entered the window.
        fitted_at: `learned` at the last fit.
        pages: Documents in the window.
    """
    new, ratio = learned - fitted_at, SCHEDULE_CONFIG.growth_ratio
    return max(1, math.ceil((ratio * pages - new) / (1 - ratio)))


def latest_place_pages(before: Sequence[int | None], newest: int | None) -> list[int | None]:
    """Return what `is_due` needs of the latest documents, after one more has come.

    >>> latest_place_pages([9, 0, None], 0)
    [0, None, 0]

    Args:
        before: What this function returned before that document; empty at first.
        newest: `SiteEvidence.place_pages` of the model that it was cleaned with; None where there was none.
    """
    return [*before, newest][-SCHEDULE_CONFIG.design_documents :]
