"""The rows of the list of sites: their figures, warnings, order and pages."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Generic, TypeVar

import msgspec

from workers.console.config import ConsoleConfig
from workers.inspect.html_templates import time_text
from workers.log_lines import counted
from workers.state.site_state import SiteState, model_is_due

T = TypeVar("T")
_DAY_MS = 24 * 3600 * 1000
_UNITS = (
    (365 * _DAY_MS, "year"),
    (30 * _DAY_MS, "month"),
    (_DAY_MS, "day"),
    (3_600_000, "hour"),
    (60_000, "minute"),
    (1000, "second"),
)
"""Units of time spans in milliseconds, the largest first."""


class SiteRow(msgspec.Struct, frozen=True, kw_only=True):
    """One site in the list; None stands for a figure that is not known."""

    site: str
    lag: int | None = None
    """Records that wait in the site's partition of `documents`."""
    age_ms: int | None = None
    """How much older the newest page of the window is than the newest page of all sites."""
    newest_ms: int | None = None
    """Event time of the newest page of the window, in Unix milliseconds."""
    pages: int = 0
    """Documents in the window."""
    size_bytes: int = 0
    span_ms: int = 0
    """Time between the oldest and the newest document of the window."""
    fit: float | None = None
    """Likeness of the newest page to the kind of page nearest to it, 0 to 1."""
    repeated: float | None = None
    """Share of kept words in sentences that many pages repeat, 0 to 1."""
    decided: tuple[str, ...] = ()
    """What operators have decided about the site, as short words."""
    warnings: tuple[str, ...] = ()


class SiteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one site when the list is made."""

    state: SiteState | None
    """Figures of its window; None for a site that has only settings."""
    lag: int | None
    repeated: float | None
    decided: tuple[str, ...]


class ListPage(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    rows: Sequence[T]
    number: int
    """Number of the page, from 1."""
    pages: int
    """Number of pages, at least 1."""
    found: int
    """Number of rows on all pages."""


def site_row(site: str, facts: SiteFacts, feed_ms: int, config: ConsoleConfig) -> SiteRow:
    """Return the row of a site.

    Args:
        site: Site key.
        facts: What is known of it.
        feed_ms: Event time of the newest page of all sites, in Unix milliseconds.
        config: From which figures on there is a warning.
    """
    state = facts.state
    if state is None or not state.pages:
        return SiteRow(site=site, lag=facts.lag, decided=facts.decided)
    return SiteRow(
        site=site,
        lag=facts.lag,
        age_ms=max(feed_ms - state.newest_ms, 0),
        newest_ms=state.newest_ms,
        pages=state.pages,
        size_bytes=state.bytes,
        span_ms=max(state.newest_ms - state.oldest_ms, 0),
        fit=state.fit if state.model_version else None,
        repeated=facts.repeated,
        decided=facts.decided,
        warnings=tuple(_warnings(state, facts, config)),
    )


def _warnings(state: SiteState, facts: SiteFacts, config: ConsoleConfig) -> Iterable[str]:
    if state.model_version is None:
        yield "no site model yet"
    elif model_is_due(state):
        yield "site model is due: its window has changed since the last fit"
    if state.model_version is not None and state.fit < config.low_fit:
        yield f"low fit: the newest page, of {_day(state.newest_ms)}, is like no known kind of page"
    if state.changed_at_ms is not None:
        yield f"design changed on {_day(state.changed_at_ms)}"
    is_known = facts.repeated is not None and state.pages >= config.repeated_pages_min
    if is_known and (facts.repeated or 0.0) > config.much_repeated_ratio:
        yield f"repeated text: {facts.repeated:.1%} of the kept words are in sentences of many pages"
    if facts.lag is not None and facts.lag > config.long_lag:
        yield f"long lag: {counted(facts.lag, 'document')} of its partition wait"


def _day(time_ms: int) -> str:
    return time_text(time_ms)[:10]


_KEYS: dict[str, Callable[[SiteRow], float | None]] = {
    "lag": lambda one: one.lag,
    "age": lambda one: one.age_ms,
    "pages": lambda one: one.pages,
    "fit": lambda one: one.fit,
    "repeated": lambda one: one.repeated,
    "warnings": lambda one: len(one.warnings),
}
COLUMNS = frozenset({"site", *_KEYS})
"""The columns by which the list can be ordered."""


def ordered(rows: Iterable[SiteRow], column: str, *, is_descending: bool) -> list[SiteRow]:
    """Return rows in order of one of `COLUMNS`; those without a figure come last, and equal ones by site.

    >>> rows = [SiteRow(site="b"), SiteRow(site="a", fit=0.4), SiteRow(site="c", fit=0.9)]
    >>> [one.site for one in ordered(rows, "fit", is_descending=True)]
    ['c', 'a', 'b']
    """
    by_site = sorted(rows, key=lambda one: one.site, reverse=is_descending and column == "site")
    if column == "site":
        return by_site
    value = _KEYS[column]
    known = [(figure, one) for one in by_site if (figure := value(one)) is not None]
    known.sort(key=itemgetter(0), reverse=is_descending)
    return [one for _, one in known] + [one for one in by_site if value(one) is None]


def searched(rows: Iterable[SiteRow], words: str) -> list[SiteRow]:
    """Return the rows that have every word in their site, decisions or warnings.

    Args:
        rows: Rows of the list.
        words: Words, separated by white space; case does not count.
    """
    wanted = words.lower().split()
    return [
        one
        for one in rows
        if all(word in " ".join((one.site, *one.decided, *one.warnings)).lower() for word in wanted)
    ]


def list_page(rows: Sequence[T], number: int, rows_max: int) -> ListPage[T]:
    """Return one page of a list; a number behind the last page stands for the last one.

    >>> list_page("abcde", 9, 2).rows
    'e'
    """
    pages = max(1, -(-len(rows) // rows_max))
    number = min(max(number, 1), pages)
    return ListPage(
        rows=rows[(number - 1) * rows_max : number * rows_max],
        number=number,
        pages=pages,
        found=len(rows),
    )


def duration_text(time_ms: int) -> str:
    """Return a time span in its largest unit, in words.

    >>> duration_text(90_000), duration_text(3 * 86_400_000), duration_text(11 * 366 * 86_400_000)
    ('1 minute', '3 days', '11 years')
    """
    unit, name = next((one for one in _UNITS if time_ms >= one[0]), _UNITS[-1])
    return counted(time_ms // unit, name)
