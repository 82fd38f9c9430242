"""What the console asks about sites, each query answered from the state directory by a process of its own.

A report of a hostile or very large site may take long. In a process of its own it holds up neither the
console nor the worker, can be ended at any time, and leaves nothing in memory.
"""

import multiprocessing
import resource
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import msgspec

from templ_core.errors import RuleError
from templ_core.site_settings.site_settings import SiteRule
from workers.console.config import ConsoleConfig
from workers.errors import UsageProblem, WorkerError
from workers.inspect.html_templates import render
from workers.inspect.page_report import PageRequest, page_report
from workers.inspect.site_report import repeated_ratio, site_figures, site_report
from workers.inspect.site_view import preview_rules, view_site
from workers.processes.options import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings


class SiteReportQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the report of a site."""

    site: str


class PageReportQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the report of a page of a window."""

    site: str
    url: str


class WindowQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the URLs of the pages of a window, as the JSON of a list of `WindowPageRow`."""

    site: str


class RuleQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks what a rule would name in a window, as the JSON of a `RulePreview`."""

    site: str
    rule: SiteRule


class RepeatedTextQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Asks how much text some sites repeat, as a JSON object of shares by site."""

    sites: Sequence[str]
    pages_max: int
    """Newest pages of each site on which it is measured."""


Query = SiteReportQuery | PageReportQuery | WindowQuery | RuleQuery | RepeatedTextQuery


class WindowPageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a window."""

    url: str
    time_ms: int
    """Event time."""
    size_bytes: int
    """Size of the compact document."""


def answer_query(query: Query, state: Path, settings: Settings) -> bytes:
    """Return the answer to a query.

    Raises:
        InputProblem: There is no such site or page.
        UsageProblem: A rule cannot be used.
        StateProblem: The state directory cannot be read.
    """
    if isinstance(query, RepeatedTextQuery):
        return msgspec.json.encode(_repeated_ratios(query, state, settings))
    view = view_site(state, query.site, settings)
    if isinstance(query, WindowQuery):
        rows = [
            WindowPageRow(url=one.url, time_ms=one.event_time_ms, size_bytes=len(one.body))
            for one in reversed(view.window)
        ]
        return msgspec.json.encode(rows)
    if isinstance(query, RuleQuery):
        try:
            return msgspec.json.encode(preview_rules(view, [query.rule])[0])
        except RuleError as error:
            raise UsageProblem(str(error)) from None
    navigation = render("console/templates/navigation.html", key=query.site)
    if isinstance(query, PageReportQuery):
        request = PageRequest(url=query.url, site=query.site, body=None, content_type=None)
        return page_report(request, view, settings, navigation).encode()
    model = page_model_of(read_model_file(settings.page_model))
    found = site_figures(view, model, config_of(settings))
    return site_report(found, navigation).encode()


def _repeated_ratios(
    query: RepeatedTextQuery, state: Path, settings: Settings
) -> dict[str, float | None]:
    """Return the share of kept words that sites repeat; None where it cannot be told."""
    model = page_model_of(read_model_file(settings.page_model))
    config = config_of(settings)
    found: dict[str, float | None] = {}
    for site in query.sites:
        try:
            view = view_site(state, site, settings)
            found[site] = repeated_ratio(view, model, config, query.pages_max)
        except WorkerError:  # such as a site that is gone by now
            found[site] = None
    return found


_DONE, _REFUSED = b"+", b"-"
"""First byte of an answer."""


class QueryFailed(Exception):
    """The error that there is no report; the message is a sentence for the person who asked for it."""


class QueryRefused(Exception):
    """The error that there is no such site or page; the message says so."""


class QueryProcesses:
    """Starts a process for each query, forked off one that has imported what is needed."""

    def __init__(self, state: Path, settings: Settings, config: ConsoleConfig) -> None:
        self._state = state
        self._settings = settings
        self._config = config
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])

    def run(self, query: Query) -> bytes:
        """Return the answer to a query; the call blocks.

        Raises:
            QueryRefused: There is no such site or page.
            QueryFailed: It took too long or too much memory, or met a fault.
        """
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_answer,
            args=(sender, query, self._state, self._settings, self._config.query_processor_s),
            daemon=True,
        )
        with receiver:
            with sender:
                process.start()
            return self._answer_of(process, receiver)

    def _answer_of(self, process: ForkServerProcess, receiver: Connection) -> bytes:
        try:
            if not receiver.poll(self._config.query_s):
                raise QueryFailed(f"There was no report within {self._config.query_s:g} s.")
            answer = receiver.recv_bytes(self._config.query_bytes_max)
        except (EOFError, OSError):
            raise QueryFailed(
                "The report took too much time or memory, is too large, or met a fault of templ; "
                "`templ inspect` says which."
            ) from None
        finally:
            process.kill()
            process.join()
            process.close()
        if answer[:1] == _REFUSED:
            raise QueryRefused(answer[1:].decode())
        return answer[1:]


def _answer(
    sender: Connection, query: Query, state: Path, settings: Settings, processor_s: int
) -> None:
    """Send the answer to a query; nothing is sent where there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (settings.child_memory_bytes, hard))
    try:
        sender.send_bytes(_DONE + answer_query(query, state, settings))
    except WorkerError as error:
        sender.send_bytes(_REFUSED + str(error).encode())
