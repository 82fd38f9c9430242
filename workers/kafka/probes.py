"""A web server, in threads of its own, that answers `/live`, `/ready` and `/metrics`."""

import asyncio
import json
import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import msgspec
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from workers.errors import UsageProblem

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_ANSWER_S = 5.0
"""Longest time that an event loop may take to answer."""
_CONNECTIONS_MAX = 16
"""Connections that are served at once, each by a thread; probes and scrapes are a few a second."""
_SILENCE_S = 10.0
"""Longest time for which a connection may send nothing, or read nothing of its answer."""
log = logging.getLogger("templ")


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
        server = make_server(host, port, answer, _server_for(host, port), handler_class=_Quiet)
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


class _BoundedServer(ThreadingWSGIServer):
    """A server with a bounded number of connections: one more drops the oldest of them.

    So clients that connect and send nothing use up neither the threads nor the files of a worker.
    """

    request_queue_size = 128
    """Connections that the system holds until they are accepted; behind them a probe would wait for a second."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._room = threading.Semaphore(_CONNECTIONS_MAX)
        self._lock = threading.Lock()
        self._open: dict[socket.socket, bool] = {}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, once one of those before it has ended if there are too many."""
        if not self._room.acquire(blocking=False):
            self._drop_oldest()
            self._room.acquire()
        with self._lock:
            self._open[request] = True
        super().process_request(request, client_address)

    def _drop_oldest(self) -> None:
        with self._lock:
            oldest = next(iter(self._open), None)
            if oldest is not None:
                del self._open[oldest]
                with suppress(OSError):  # its client may have closed it
                    oldest.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, and make room for another one."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)
        self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base's signature
        """Log a fault; a client that is silent or gone is no fault."""
        error = sys.exception()
        if not isinstance(error, OSError):
            log.error("a probe could not be answered", exc_info=error)


def _server_for(host: str, port: int) -> type[_BoundedServer]:
    """Return the kind of server for an address, which may be one of IPv6."""
    family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return type("_Server", (_BoundedServer,), {"address_family": family})


class _Quiet(WSGIRequestHandler):
    timeout = _SILENCE_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Log nothing: a scrape every few seconds would fill the log."""
