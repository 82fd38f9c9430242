"""The queries of the console about sites, each answered from the state directory by a process of its own.

A report of a hostile or very large site may take long. In a process of its own it holds up neither the
console nor the worker, can be ended at any time, and leaves nothing in memory.
"""

import multiprocessing
import resource
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import msgspec
from markupsafe import Markup

from templ_core.errors import RuleError
from templ_core.site_settings.site_settings import SiteRule
from workers.console.config import ConsoleConfig
from workers.errors import UsageProblem, WorkerError
from workers.inspect.html_templates import render
from workers.inspect.page_report import PageRequest, page_report
from workers.inspect.site_report import repeated_ratio, site_figures, site_report
from workers.inspect.site_view import CleaningVariant, preview_rules, view_site
from workers.settings import Settings


def site_html(state: Path, settings: Settings, site: str) -> bytes:
    """Return the report of a site.

    Raises:
        InputProblem: There is no such site.
        StateProblem: The state directory cannot be read, which holds for the other queries as well.
    """
    view = view_site(state, site, settings)
    figures = site_figures(view, CleaningVariant.of(settings))
    return site_report(figures, _navigation(site)).encode()


def page_html(state: Path, settings: Settings, site: str, url: str) -> bytes:
    """Return the report of a page of a window.

    Raises:
        InputProblem: There is no such site or page.
    """
    request = PageRequest(url=url, site=site, body=None, content_type=None)
    view = view_site(state, site, settings)
    return page_report(request, view, settings, _navigation(site)).encode()


def _navigation(site: str) -> Markup:
    return render("console/templates/navigation.html", key=site)


def window_json(state: Path, settings: Settings, site: str) -> bytes:
    """Return URL, event time (`time_ms`) and compact size (`size_bytes`) of the pages of a window, newest first.

    Raises:
        InputProblem: There is no such site.
    """
    rows = [
        {"url": document.url, "time_ms": document.event_time_ms, "size_bytes": len(document.body)}
        for document in reversed(view_site(state, site, settings).window)
    ]
    return msgspec.json.encode(rows)


def rule_json(state: Path, settings: Settings, site: str, rule: SiteRule) -> bytes:
    """Return the `RulePreview` of a rule in a window.

    Raises:
        InputProblem: There is no such site.
        UsageProblem: The rule cannot be used.
    """
    try:
        return msgspec.json.encode(preview_rules(view_site(state, site, settings), [rule])[0])
    except RuleError as error:
        raise UsageProblem(str(error)) from None


def repeated_json(state: Path, settings: Settings, sites: Sequence[str], pages_max: int) -> bytes:
    """Return by site the share of kept words that it repeats on its newest pages; None where it is not known."""
    variant = CleaningVariant.of(settings)
    ratios: dict[str, float | None] = {}
    for site in sites:
        try:
            ratios[site] = repeated_ratio(view_site(state, site, settings), variant, pages_max)
        except WorkerError:  # such as a site that is gone by now
            ratios[site] = None
    return msgspec.json.encode(ratios)


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

    def run(self, query: Callable[..., bytes], *asked: object) -> bytes:
        """Return the answer of a function of this module; the call blocks.

        Raises:
            QueryRefused: There is no such site or page.
            QueryFailed: It took too long or too much memory, or met a fault.
        """
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_answer,
            args=(
                sender,
                self._config.query_processor_s,
                query,
                self._state,
                self._settings,
                *asked,
            ),
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
    sender: Connection,
    processor_s: int,
    query: Callable[..., bytes],
    state: Path,
    settings: Settings,
    *asked: object,
) -> None:
    """Send the answer to a query, if there is one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (settings.child_memory_bytes, hard))
    try:
        sender.send_bytes(_DONE + query(state, settings, *asked))
    except WorkerError as error:
        sender.send_bytes(_REFUSED + str(error).encode())
