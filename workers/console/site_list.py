"""The list of sites as it is now, from a state directory, the broker and measurements of the console."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from workers.console.config import ConsoleConfig
from workers.console.queries import RepeatedTextQuery
from workers.console.query_processes import QueryFailed, QueryProcesses, QueryRefused
from workers.console.site_rows import SiteFacts, SiteRow, site_row
from workers.errors import WorkerError
from workers.kafka.broker.access import BrokerAccess
from workers.site_settings.book import DecidedSite, SettingsBook, book_of_state
from workers.state.site_copy import copied_sites
from workers.state.site_state import SiteState


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How many records wait for each role, as the broker told at one moment."""

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
    """The repeated text of a site."""

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
        """Set what is listed.

        Args:
            state: State directory of `templ run` or `templ worker`, which is only read.
            processes: Where repeated text is measured.
            config: How long what was read is used again.
            read_lag: Asks the broker for the lag; None where there is no broker.
        """
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
        """Measure the repeated text of sites for ever, at a low rate."""
        while True:
            begun_s = time.monotonic()
            await self.now()
            await self.measure_next()
            rest_s = self._config.survey_rest * (time.monotonic() - begun_s)
            await asyncio.sleep(max(rest_s, self._config.survey_pause_s))

    async def measure_next(self) -> None:
        """Measure the repeated text of some sites of which it is not known, or known of long ago."""
        wanted = self._to_be_measured()
        if wanted:
            await self._measure(
                RepeatedTextQuery(sites=wanted, pages_max=self._config.survey_pages)
            )

    def expire(self) -> None:
        """Have the list made anew when it is asked for next, such as after a change."""
        self._list_until_s = 0.0

    async def _newest_lag(self) -> Lag | None:
        if self._read_lag is not None and time.monotonic() >= self._lag_until_s:
            self._lag = await self._read_lag()
            self._lag_until_s = time.monotonic() + self._config.lag_age_s
        return self._lag

    def _make(self, lag: Lag | None) -> SiteList:
        problems = []
        book = SettingsBook()
        try:
            self._states = copied_sites(self._state)
        except WorkerError as error:  # such as a worker that has only just started
            problems.append(str(error))
        try:
            book = book_of_state(self._state)
            self.forgotten = frozenset(book.forgotten())
        except WorkerError as error:
            problems.append(str(error))
        feed_ms = max((one.newest_ms for one in self._states.values() if one.pages), default=0)
        rows = [
            site_row(site, self._facts(site, book.of(site), lag), feed_ms, self._config)
            for site in {*self._states, *(one.site for one in book.records())}
        ]
        return SiteList(rows=rows, lag=lag, problem=" ".join(problems))

    def _facts(self, site: str, decided: DecidedSite | None, lag: Lag | None) -> SiteFacts:
        measured = self._measured.get(site)
        return SiteFacts(
            state=self._states.get(site),
            lag=lag.of_site(site) if lag else None,
            repeated=measured.ratio if measured else None,
            decided=decided_words(decided) if decided else (),
        )

    def _to_be_measured(self) -> list[str]:
        """Return the sites that are to be measured next, those that were never measured first."""
        stale = []
        for site, state in self._states.items():
            known = self._measured.get(site)
            if state.model_version is None:
                continue
            if known is None:
                stale.append((False, site))
            elif state.learned > known.learned * (1 + self._config.survey_change_ratio):
                stale.append((True, site))
        return [site for _, site in sorted(stale)[: self._config.survey_sites]]

    async def _measure(self, query: RepeatedTextQuery) -> None:
        try:
            answer = await asyncio.to_thread(self._processes.run, query)
            ratios = msgspec.json.decode(answer, type=dict[str, float | None])
        except (QueryFailed, QueryRefused):
            ratios = {}  # none has a figure, and none is tried again at once
        for site in query.sites:
            learned = self._states[site].learned if site in self._states else 0
            self._measured[site] = _Measured(learned, ratios.get(site))


async def read_lag(access: BrokerAccess, prefix: str, wait_s: float) -> Lag | None:
    """Return how far workers are behind; None where the broker does not tell it in time.

    Args:
        access: How the broker is reached.
        prefix: Text before the name of each topic and group.
        wait_s: Longest time to wait for the broker, in seconds.
    """
    from workers.kafka.operate.status import read_status  # noqa: PLC0415 - brings aiokafka

    try:
        async with asyncio.timeout(wait_s):
            status = await read_status(access, prefix, models_max=0)
    except (WorkerError, TimeoutError):
        return None
    cleaner, refresher = status.roles
    return Lag(pages=cleaner.lag, documents=tuple(one.lag for one in refresher.partitions))


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
