"""When a page was published and changed: by its markup, and where that is silent by what the page shows."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from templ_core.metadata.authors import byline_author
from templ_core.metadata.dates import (
    MAY_BE_YEAR,
    NUMERIC,
    day_behind,
    day_in_path,
    is_prose,
    point_in_time,
    published_day,
    tells_of_day,
)
from templ_core.metadata.named_texts import named_texts
from templ_core.metadata.page_view import PageView
from templ_core.metadata.placed import repeated_texts
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_CRAWL_DAYS = 31
"""Days by which a byline may be behind the fetch: some feeds give all pages the time at which their crawl began."""
_POSTED = pattern(r"posted|publish|byline|dateline", re.IGNORECASE)
_DATE = pattern(
    r"(?:^|[\s_-])(?:date|datum|fecha|data|published|pubdate|publish|posted|dateline|timestamp|time|dtreviewed)"
    r"(?:[\s_-]?(?:on|at|time|date|published|created|line))?(?=$|[\s_-])",
    re.IGNORECASE,
)
_STEMS = Stems(("dat", "fecha", "publi", "posted", "time"))


def page_times(page: PageView) -> tuple[str | None, str | None]:
    """Return when a page was published, and when it was changed last, as RFC 3339 writes it; None where nothing says so.

    No time more than a day behind the fetch counts, unless the page signs with it.
    """
    stated, meta, properties = page.stated, page.meta, page.properties
    published: Iterable[str] = (
        *stated.get("datePublished", ()),
        *meta.get("published", ()),
        *properties.get("datepublished", ()),
        *stated.get("dateCreated", ()),
        *stated.get("uploadDate", ()),
        *properties.get("datecreated", ()),
    )
    changed: Iterable[str] = (
        *stated.get("dateModified", ()),
        *meta.get("modified", ()),
        *properties.get("datemodified", ()),
    )
    if page.markup.claims.times:
        published = chain(published, _times(page))
        changed = chain(changed, _times_of_change(page))
    first_times: list[str | None] = []
    for texts in (published, changed):
        time = None
        for text in texts:
            time = point_in_time(text, page.language)
            if time and (page.latest_day is None or time[:10] <= page.latest_day):
                break
            time = None
        first_times.append(time)
    return first_times[0] or _shown_day(page) or day_in_path(page.url), first_times[1]


def _times(page: PageView) -> Iterator[str]:
    for time in page.times:
        if time.kind == "published":
            yield time.stated
    for time in page.times:
        if not time.kind:
            # Such an element may belong to another page, so the day in the address is surer.
            day = day_in_path(page.url)
            yield day if day and not time.stated.startswith(day) else time.stated
            return


def _times_of_change(page: PageView) -> Iterator[str]:
    for time in page.times:
        if time.kind == "changed":
            yield time.stated


def _shown_day(page: PageView) -> str | None:
    """Return the day in the short texts that are most likely the date of the page, the nearest to the headline first."""
    near, placed = page.parts.near, page.placed if page.places else ()
    repeated = repeated_texts(page.places, near) if page.places and near else ()
    shown = []
    for segment in near:
        text = page.texts[segment]
        if MAY_BE_YEAR.search(text) and (segment in placed or segment not in repeated):
            is_of_page = tells_of_day(text) if segment in placed else not is_prose(text)
            if is_of_page and not page.parts.is_elsewhere(segment):
                shown.append(text)
    dated = _STEMS.found_in_attributes(page.document.nodes.element_types)
    for segment, text in named_texts(page, dated, _DATE, " ") if dated else ():
        if MAY_BE_YEAR.search(text) and not page.parts.is_elsewhere(segment):
            shown.append(text)
    for text in shown:
        order = page.day_order if NUMERIC.search(text) else ""
        day = published_day(text, page.language, order)
        if day and (page.latest_day is None or day <= page.latest_day):
            return day
    signed = near and MAY_BE_YEAR.search(page.texts[near[0]])
    return _signed_day(page) if signed else None


def _signed_day(page: PageView) -> str | None:
    """Return the day in the text next to the headline if it is a byline, or named after the publication."""
    nodes, latest = page.document.nodes, day_behind(page.fetched_at[:10], _CRAWL_DAYS)
    for segment in page.parts.near[:1]:
        text = page.texts[segment]
        names = nodes.element_types[nodes.element_type[page.document.segments.owner[segment]]][1]
        is_signed = byline_author(text) or _POSTED.search(names)
        day = published_day(text, page.language) if is_signed else None
        if day and (latest is None or day <= latest) and not page.parts.is_elsewhere(segment):
            return day
    return None
