"""A web server, in threads of its own, that answers `/live`, `/ready` and `/metrics`."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, make_server

import msgspec
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from workers.errors import UsageProblem

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_ANSWER_S = 5.0
"""Longest time that an event loop may take to answer."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What a process says about itself; any thread may ask."""

    loops: Callable[[], Iterable[asyncio.AbstractEventLoop]]
    """Returns the event loops that must answer for the process to be alive."""
    waiting_for: Callable[[], str]
    """Returns what is missing until the process does its work; empty for nothing."""

    def dead_because(self) -> str:
        """Return why the process should be started again; empty where it is alive.

        A worker that lags, rebuilds its windows or waits for a broker is alive: a restart would only
        make it later. The watchdog ends a process that makes no progress.
        """
        loops = list(self.loops())
        if all(_answers(loop, _ANSWER_S) for loop in loops):
            return ""
        return f"an event loop has not answered for {_ANSWER_S:g} s"


def serve_probes(host: str, port: int, registry: CollectorRegistry, health: Health) -> None:
    """Answer requests from now on.

    Raises:
        UsageProblem: The address cannot be used.
    """
    metrics: Callable[..., Iterable[bytes]] = make_wsgi_app(registry)
    questions = {"/live": health.dead_because, "/ready": health.waiting_for}

    def answer(environment: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        path = environment["PATH_INFO"]
        if path == "/metrics":
            return metrics(environment, start)
        if path not in questions:
            start("404 Not Found", [("Content-Type", "application/json")])
            return [json.dumps({"paths": [*questions, "/metrics"]}).encode() + b"\n"]
        problem = questions[path]()
        status = "503 Service Unavailable" if problem else "200 OK"
        start(status, [("Content-Type", "application/json")])
        return [json.dumps({"ok": not problem, "reason": problem}).encode() + b"\n"]

    try:
        server = make_server(host, port, answer, ThreadingWSGIServer, handler_class=_Quiet)
    except OSError as error:
        raise UsageProblem(
            f"metrics at {host}:{port}: {error.strerror}; set TEMPL_METRICS_PORT"
        ) from None
    threading.Thread(target=server.serve_forever, daemon=True, name="probes").start()


def _answers(loop: asyncio.AbstractEventLoop, within_s: float) -> bool:
    answered = threading.Event()
    try:
        loop.call_soon_threadsafe(answered.set)
    except RuntimeError:  # the loop is closed
        return False
    return answered.wait(within_s)


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Log nothing: a scrape every few seconds would fill the log."""
