"""The list of sites as it is now, from a state directory, the broker and measurements of the console.

Each row has figures and warnings of a site; rows can be searched, ordered and divided into pages.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path

import msgspec

from workers.console.config import ConsoleConfig
from workers.console.queries import QueryFailed, QueryProcesses, QueryRefused, repeated_json
from workers.errors import WorkerError
from workers.inspect.html_templates import time_text
from workers.kafka.broker.access import BrokerAccess
from workers.log_lines import counted
from workers.site_settings import DecidedSite, SettingsOfSites, site_settings_of_state
from workers.state.site_copy import copied_sites
from workers.state.site_state import SiteState, model_is_due

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


def site_row(
    known: SiteRow, state: SiteState | None, feed_ms: int, config: ConsoleConfig
) -> SiteRow:
    """Return the row of a site with the figures of its window, and warnings.

    What is known before are its key, lag, repeated text and decisions; a site that has only settings has no state.
    The newest page of all sites has the event time `feed_ms`, in Unix milliseconds.
    """
    if state is None or not state.pages:
        return msgspec.structs.replace(known, repeated=None)
    return msgspec.structs.replace(
        known,
        age_ms=max(feed_ms - state.newest_ms, 0),
        newest_ms=state.newest_ms,
        pages=state.pages,
        size_bytes=state.bytes,
        span_ms=max(state.newest_ms - state.oldest_ms, 0),
        fit=state.fit if state.model_version else None,
        warnings=tuple(_warnings(state, known, config)),
    )


def _warnings(state: SiteState, known: SiteRow, config: ConsoleConfig) -> Iterable[str]:
    if state.model_version is None:
        yield "no site model yet"
    elif model_is_due(state):
        yield "site model is due: its window has changed since the last fit"
    if state.model_version is not None and state.fit < config.low_fit:
        yield f"low fit: the newest page, of {_day(state.newest_ms)}, fits no known design"
    if state.changed_at_ms is not None:
        yield f"design changed on {_day(state.changed_at_ms)}"
    repeated = known.repeated or 0.0
    if state.pages >= config.repeated_pages_min and repeated > config.much_repeated_ratio:
        yield f"repeated text: {repeated:.1%} of the kept words are in sentences that many pages have"
    if known.lag is not None and known.lag > config.long_lag_records:
        yield f"long lag: {counted(known.lag, 'document')} of its partition wait"


def _day(time_ms: int) -> str:
    return time_text(time_ms)[:10]


_KEYS: dict[str, Callable[[SiteRow], float | None]] = {
    "lag": lambda row: row.lag,
    "age": lambda row: row.age_ms,
    "pages": lambda row: row.pages,
    "fit": lambda row: row.fit,
    "repeated": lambda row: row.repeated,
    "warnings": lambda row: len(row.warnings),
}
COLUMNS = frozenset({"site", *_KEYS})
"""The columns by which the list can be ordered."""


def ordered(rows: Iterable[SiteRow], column: str, *, is_descending: bool) -> list[SiteRow]:
    """Return rows in order of one of `COLUMNS`; those without a figure come last, and equal ones by site.

    >>> rows = [SiteRow(site="b"), SiteRow(site="a", fit=0.4), SiteRow(site="c", fit=0.9)]
    >>> [row.site for row in ordered(rows, "fit", is_descending=True)]
    ['c', 'a', 'b']
    """
    by_site = sorted(rows, key=lambda row: row.site, reverse=is_descending and column == "site")
    if column == "site":
        return by_site
    value = _KEYS[column]
    known = [(figure, row) for row in by_site if (figure := value(row)) is not None]
    known.sort(key=itemgetter(0), reverse=is_descending)
    return [row for _, row in known] + [row for row in by_site if value(row) is None]


def searched(rows: Iterable[SiteRow], words: str) -> list[SiteRow]:
    """Return the rows that have every word, separated by spaces, in their site, decisions or warnings."""
    wanted = words.lower().split()
    return [
        row
        for row in rows
        if all(word in " ".join((row.site, *row.decided, *row.warnings)).lower() for word in wanted)
    ]


def list_page(rows: Sequence[object], number: int, rows_max: int) -> dict[str, object]:
    """Return one page of a list; a number behind the last page stands for the last one.

    The result has its `rows`, its `number` from 1 on, how many `pages` there are, at least 1, and the
    number of rows that were `found` for all pages.

    >>> list_page("abcde", 9, 2)
    {'rows': 'e', 'number': 3, 'pages': 3, 'found': 5}
    """
    pages = max(1, -(-len(rows) // rows_max))
    number = min(max(number, 1), pages)
    shown = rows[(number - 1) * rows_max : number * rows_max]
    return {"rows": shown, "number": number, "pages": pages, "found": len(rows)}


def duration_text(time_ms: int) -> str:
    """Return a time span in its largest unit, in words.

    >>> duration_text(90_000), duration_text(3 * 86_400_000), duration_text(11 * 366 * 86_400_000)
    ('1 minute', '3 days', '11 years')
    """
    unit, name = next((scale for scale in _UNITS if time_ms >= scale[0]), _UNITS[-1])
    return counted(time_ms // unit, name)


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How many records wait for each role, as the broker said at one moment."""

    pages: int
    """Records of `pages` that no cleaner has committed."""
    documents: tuple[int, ...]
    """Records of each partition of `documents` that no refresher has committed."""

    def of_site(self, site: str) -> int:
        """Return how many records wait in the partition of a site."""
        from workers.kafka.broker.partitioning import partition_of  # noqa: PLC0415 - brings aiokafka

        return self.documents[partition_of(site, len(self.documents))]


class SiteList(msgspec.Struct, frozen=True, kw_only=True):
    """All sites of a state directory at one moment."""

    rows: list[SiteRow]
    lag: Lag | None
    """None where it is not known."""
    problem: str = ""
    """Why the list is not complete; empty for nothing."""


class _Measured(msgspec.Struct, frozen=True):
    learned: int
    """Value of `SiteState.learned` when it was measured."""
    ratio: float | None


class SiteLister:
    """Makes the list of sites, at most once in some seconds, and measures their repeated text."""

    def __init__(
        self,
        state: Path,
        processes: QueryProcesses,
        config: ConsoleConfig,
        read_lag: Callable[[], Awaitable[Lag | None]] | None,
    ) -> None:
        self._state = state
        self._processes = processes
        self._config = config
        self._read_lag = read_lag
        self._lag: Lag | None = None
        self._lag_until_s = self._list_until_s = 0.0
        self._list: SiteList | None = None
        self._states: dict[str, SiteState] = {}
        self._measured: dict[str, _Measured] = {}
        self._one_reads = asyncio.Lock()
        self.forgotten: frozenset[str] = frozenset()
        """The sites that were taken down when the list was made last."""

    async def now(self) -> SiteList:
        """Return the list, which may be some seconds old."""
        async with self._one_reads:
            if self._list is None or time.monotonic() >= self._list_until_s:
                lag = await self._newest_lag()
                self._list = await asyncio.to_thread(self._make, lag)
                self._list_until_s = time.monotonic() + self._config.rows_age_s
            return self._list

    async def survey(self) -> None:
        """Measure the repeated text of sites forever, at a low rate."""
        while True:
            begun_s = time.monotonic()
            await self.now()
            await self.measure_next()
            rest_s = self._config.survey_rest_ratio * (time.monotonic() - begun_s)
            await asyncio.sleep(max(rest_s, self._config.survey_pause_s))

    async def measure_next(self) -> None:
        """Measure the repeated text of some sites where it is unknown or old."""
        sites = self._to_be_measured()
        if not sites:
            return
        try:
            answer = await asyncio.to_thread(
                self._processes.run, repeated_json, sites, self._config.survey_pages
            )
            ratios = msgspec.json.decode(answer, type=dict[str, float | None])
        except (QueryFailed, QueryRefused):
            ratios = {}  # none has a figure, and none is tried again at once
        for site in sites:
            learned = self._states[site].learned if site in self._states else 0
            self._measured[site] = _Measured(learned, ratios.get(site))

    def expire(self) -> None:
        """Let the next request make the list again, such as after a change."""
        self._list_until_s = 0.0

    async def _newest_lag(self) -> Lag | None:
        if self._read_lag is not None and time.monotonic() >= self._lag_until_s:
            self._lag = await self._read_lag()
            self._lag_until_s = time.monotonic() + self._config.lag_age_s
        return self._lag

    def _make(self, lag: Lag | None) -> SiteList:
        problems = []
        site_settings = SettingsOfSites()
        try:
            self._states = copied_sites(self._state)
        except WorkerError as error:  # such as a worker that has only just started
            problems.append(str(error))
        try:
            site_settings = site_settings_of_state(self._state)
            self.forgotten = frozenset(site_settings.forgotten())
        except WorkerError as error:
            problems.append(str(error))
        feed_ms = max(
            (state.newest_ms for state in self._states.values() if state.pages), default=0
        )
        rows = []
        for site in {*self._states, *(record.site for record in site_settings.records())}:
            measured, decided = self._measured.get(site), site_settings.of(site)
            known = SiteRow(
                site=site,
                lag=lag.of_site(site) if lag else None,
                repeated=measured.ratio if measured else None,
                decided=decided_words(decided) if decided else (),
            )
            rows.append(site_row(known, self._states.get(site), feed_ms, self._config))
        return SiteList(rows=rows, lag=lag, problem=" ".join(problems))

    def _to_be_measured(self) -> list[str]:
        """Return the sites that are to be measured next, those that were never measured first."""
        grown = 1 + self._config.survey_change_ratio
        stale = [
            (known is not None, site)
            for site, state in self._states.items()
            if state.model_version is not None
            and (
                (known := self._measured.get(site)) is None or state.learned > known.learned * grown
            )
        ]
        return [site for _, site in sorted(stale)[: self._config.survey_sites]]


async def read_lag(access: BrokerAccess, wait_s: float) -> Lag | None:
    """Return how far workers are behind; None where the broker does not answer in time."""
    from workers.kafka.operate.status import read_status  # noqa: PLC0415 - brings aiokafka

    try:
        async with asyncio.timeout(wait_s):
            status = await read_status(access, models_max=0)
    except (WorkerError, TimeoutError):
        return None
    cleaner, refresher, *_ = status.roles
    return Lag(
        pages=cleaner.lag, documents=tuple(partition.lag for partition in refresher.partitions)
    )


def decided_words(decided: DecidedSite) -> tuple[str, ...]:
    """Return what operators have decided about a site as short words."""
    record = decided.record
    said = {
        "taken down": record.forgotten,
        "quarantined": record.quarantined,
        "pinned": record.pinned_model is not None,
        f"{len(record.rules)} rule{'' if len(record.rules) == 1 else 's'}": bool(record.rules),
        f"comments {record.comments}": record.comments is not None,
        f"listings {record.listings}": record.listings != "auto",
        "window": record.window is not None,
    }
    return tuple(words for words, is_so in said.items() if is_so)
