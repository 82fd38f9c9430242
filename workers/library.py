"""The worker as a Python object: pages in, clean text out, in one process, without a broker.

from workers.library import SiteCleaner

cleaner = SiteCleaner()
text = cleaner.clean(url, html_bytes, fetched_at).text
"""

import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Self

from schemas.cleaned import CleanedRecord
from schemas.source import Source
from templ_core.site_key import site_key
from workers.errors import WorkerError
from workers.feeds.times import parse_time_ms, rfc3339
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page
from workers.pipeline.cleaner import Cleaned, Dead, Deleted, Outcome
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import Settings, load_settings

_MINUTE_MS = 60_000


class NotCleaned(WorkerError):
    """The page cannot be cleaned, or is gone; the message says why."""


class SiteCleaner:
    """Cleans pages as they come, and learns the templates of each site on the way.

    Equal pages in equal order give equal text here and in `templ run`. On Kafka they do, too, where
    the models of the sites arrive in time. An object is for one thread.

    >>> cleaner = SiteCleaner()
    >>> story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    >>> html = f"<nav><a href=/>Home</a></nav><p>{story}</p>"
    >>> cleaner.clean("https://example.com/bridge", html).text == story.strip()
    True
    """

    def __init__(
        self,
        state: Path | str | None = None,
        *,
        settings: Settings | None = None,
        with_segments: bool = False,
    ) -> None:
        """Start with nothing, or go on from what a state directory holds.

        Args:
            state: State directory to work in, as `templ run --state` makes it; None = in memory.
            settings: Limits and bounds; None = the defaults and the environment.
            with_segments: Whether records carry their text segments and what decided each.

        Raises:
            StateProblem: the state directory cannot be used.
        """
        self._settings = settings or load_settings()
        self._state = LocalState(None if state is None else Path(state), self._settings)
        self._stream = Stream(
            self._state, _runner(self._settings), self._settings, with_segments=with_segments
        )

    def clean(
        self,
        url: str,
        body: bytes | str,
        fetched_at: datetime | str | float | None = None,
        *,
        site: str | None = None,
        content_type: str | None = None,
        status: int = 200,
    ) -> CleanedRecord:
        """Clean a page and learn from it.

        Args:
            url: The address of the page.
            body: The page as fetched, or its HTML as text.
            fetched_at: When it was fetched: a datetime, an ISO 8601 string, or Unix seconds or
                milliseconds; None means now, and a missing time zone means UTC. A time later than
                now plus the allowed skew counts as that.
            site: Key of the site, whose pages share templates; None = the registrable domain of `url`.
            content_type: The Content-Type header, where known.
            status: The HTTP status. Error pages are cleaned, and nothing is learned from them; 404
                and 410 make the site forget the URL.

        Raises:
            NotCleaned: The page cannot be cleaned, or is gone.
            ValueError: The time of the fetch cannot be read.
        """
        page = _page(
            url,
            body,
            self._time_ms(fetched_at),
            site=site or site_key(url),
            content_type=content_type,
            status=status,
        )
        outcome, _ = self._stream.process(page)
        record = _record(outcome)
        if isinstance(record, NotCleaned):
            raise record
        return record

    def save(self, path: Path | str) -> None:
        """Write what was learned to a new state directory, for `load` or `templ run --state`.

        Raises:
            StateProblem: there is something at `path` already, or it cannot be written.
        """
        self._state.save(Path(path))

    @classmethod
    def load(cls, path: Path | str, *, settings: Settings | None = None) -> Self:
        """Return a cleaner in memory that knows what a state directory holds; the directory stays as it is.

        Raises:
            StateProblem: there is no state at `path` that can be used.
        """
        cleaner = cls(settings=settings)
        cleaner._state.load(Path(path))
        return cleaner

    def _time_ms(self, fetched_at: datetime | str | float | None) -> int:
        now_ms = round(time.time() * 1000)
        said = fetched_at.isoformat() if isinstance(fetched_at, datetime) else fetched_at
        said_ms = now_ms if said is None else parse_time_ms(said)
        if said_ms is None:
            raise ValueError(
                f"fetched_at={fetched_at!r} is no time: give a datetime, an ISO 8601 string or Unix "
                "seconds"
            )
        return min(said_ms, now_ms + self._settings.clock_skew_ms)

    def close(self) -> None:
        """Write what is in memory to the state directory, and let it go."""
        self._state.close()


def clean_site(
    pages: Iterable[tuple[str, bytes | str]], *, settings: Settings | None = None
) -> list[CleanedRecord | NotCleaned]:
    """Clean a list of pages of one site, each with what all of them share.

    Args:
        pages: Pairs of a URL and the page as fetched, or its HTML as text. They count as fetched a
            minute apart.
        settings: Limits and bounds; None = the defaults and the environment.

    Returns:
        The record of each page, in order, or why there is none.
    """
    settings = settings or load_settings()
    stream = Stream(LocalState(None, settings), _runner(settings), settings)
    of_site = _pages_of_one_site(pages)
    for page in of_site:
        stream.learn(page)
    if of_site:
        stream.refit(of_site[0].site)
    return [_record(stream.clean(page)) for page in of_site]


def _runner(settings: Settings) -> InProcess:
    return InProcess(page_model_of(read_model_file(settings.page_model)))


def _pages_of_one_site(pages: Iterable[tuple[str, bytes | str]]) -> list[Page]:
    found: list[Page] = []
    for number, (url, body) in enumerate(pages):
        site = found[0].site if found else site_key(url)
        found.append(_page(url, body, number * _MINUTE_MS, site=site))
    return found


def _page(
    url: str,
    body: bytes | str,
    time_ms: int,
    *,
    site: str,
    content_type: str | None = None,
    status: int = 200,
) -> Page:
    """Return a page whose source is its URL and time: a fetch that comes twice is a repeat."""
    source = Source(url, 0, time_ms)
    is_text = isinstance(body, str)
    return Page(
        source=source,
        url=url,
        site=site,
        id=str(source),
        event_time_ms=time_ms,
        fetched_at=rfc3339(time_ms),
        content_type=content_type,
        charset="utf-8" if is_text else None,
        status=status,
        body=body.encode("utf-8", "replace") if isinstance(body, str) else body,
    )


def _record(outcome: Outcome) -> CleanedRecord | NotCleaned:
    match outcome:
        case Cleaned(record=record):
            return record
        case Dead(letter=letter):
            return NotCleaned(f"{letter.exception}: {letter.message}")
        case Deleted(record=record):
            return NotCleaned(f"{record.url} is gone")
