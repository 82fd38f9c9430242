"""The web server of the console."""

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast
from urllib.parse import parse_qsl

from aiohttp import web

from workers.console.config import ConsoleConfig
from workers.console.guard import HEADERS, Refusal, check_head, check_token
from workers.console.pages import FORM_FIELDS, ConsolePages, SettingsChanged
from workers.console.queries import QueryFailed, QueryRefused
from workers.errors import BrokerProblem, InputProblem, UsageProblem, WorkerError
from workers.settings import Settings

_STATUS = {
    QueryRefused: 404,
    UsageProblem: 400,
    InputProblem: 404,
    SettingsChanged: 409,
    BrokerProblem: 502,
    WorkerError: 503,
    QueryFailed: 504,
}
"""HTTP status of each error that a page may raise."""
_ANSWERED = web.AppKey("answered", set[asyncio.Protocol])
"""Connections whose request is complete and being answered."""
_FIELDS_MAX = 40
_PAUSE_S = 1.0
_LIBRARY_LOG = logging.getLogger("aiohttp.server")
log = logging.getLogger("templ")

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def console_app(pages: ConsolePages, hosts: frozenset[str], token: str | None) -> web.Application:
    """Return the application that answers requests; without a token, nothing can be changed."""
    config, answered = pages.config, asyncio.Semaphore(pages.config.requests_max)

    @web.middleware
    async def guarded(request: web.Request, handler: _Handler) -> web.StreamResponse:
        try:
            check_head(request, hosts)
            if request.method == "POST":
                form = await _form(request, config)
                check_token(form.pop("token", ""), token)
                request[FORM_FIELDS] = form
            if answered.locked():
                raise Refusal(503, "The console is busy; try again.")  # noqa: TRY301 - shown below
            request.app[_ANSWERED].add(request.protocol)
            async with answered:
                return await handler(request)
        except Refusal as refusal:
            response = pages.refused(refusal.status, str(refusal))
        except web.HTTPException as error:
            response = pages.refused(error.status, f"{error.reason}.")
        except (*_STATUS,) as error:
            status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
            response = pages.refused(status, str(error))
        except Exception:
            log.exception("a fault of templ itself while answering a request")
            response = pages.refused(500, "A fault of templ itself; the log of the console has it.")
        finally:
            request.app[_ANSWERED].discard(request.protocol)
        response.force_close()
        return response

    app = web.Application(middlewares=[guarded], client_max_size=config.body_bytes_max)
    app[_ANSWERED] = set()
    app.on_response_prepare.append(_add_headers)
    app.add_routes(pages.routes())
    return app


async def listen(
    app: web.Application, config: ConsoleConfig, host: str, port: int
) -> tuple[web.AppRunner, asyncio.Server]:
    """Answer requests from now on, of a bounded number of connections.

    A connection beyond them takes the place of the oldest one whose request is not complete.

    Raises:
        UsageProblem: The address cannot be used.
    """
    runner = web.AppRunner(
        app,
        access_log=None,
        keepalive_timeout=config.idle_s,
        lingering_time=config.linger_s,
        shutdown_timeout=config.body_s,
    )
    _LIBRARY_LOG.setLevel(logging.CRITICAL)  # it logs a traceback of each request that is no HTTP
    await runner.setup()
    server = cast(web.Server, runner.server)

    def connect() -> asyncio.Protocol:
        if len(server.connections) >= config.connections_max:
            slow = next(
                (
                    connection
                    for connection in server.connections
                    if connection not in app[_ANSWERED]
                ),
                None,
            )
            if slow is None:
                return _ClosedConnection()
            slow.force_close()
        return server()

    try:
        listener = await asyncio.get_running_loop().create_server(connect, host, port)
    except OSError as error:  # whose own text repeats the address
        reason = os.strerror(error.errno) if error.errno else error
        raise UsageProblem(f"console at {host}:{port}: {reason}; set TEMPL_CONSOLE_PORT") from None
    return runner, listener


async def serve_console(
    app: web.Application, pages: ConsolePages, settings: Settings, port: int
) -> bool:
    """Answer requests until a signal asks to stop, or a site is taken down.

    Returns:
        Whether the process is to restart, because it may have a site in memory that was taken down.

    Raises:
        UsageProblem: The address cannot be used.
    """
    runner, listener = await listen(app, pages.config, settings.console_host, port)
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    log.info("the console is at http://%s:%s/", settings.console_host, port)
    survey = asyncio.create_task(pages.lister.survey())
    await pages.lister.now()
    known = pages.lister.forgotten
    try:
        while not stopping.is_set() and pages.lister.forgotten <= known:
            known = pages.lister.forgotten
            if survey.done():
                survey.result()
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _PAUSE_S)
    finally:
        listener.close()
        survey.cancel()
        await runner.cleanup()
    return not stopping.is_set()


class _ClosedConnection(asyncio.Protocol):
    """A connection that is closed at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.abort()  # type: ignore[attr-defined]


async def _form(request: web.Request, config: ConsoleConfig) -> dict[str, str]:
    try:
        async with asyncio.timeout(config.body_s):
            body = await request.read()
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=_FIELDS_MAX, errors="strict"
        )
    except TimeoutError:
        raise Refusal(408, "The body of the request did not come in time.") from None
    except ConnectionError:
        raise Refusal(400, "The connection ended before the body of the request.") from None
    except ValueError:
        raise Refusal(400, "The body of the request is no form.") from None
    form = dict(pairs)
    if len(form) != len(pairs):
        raise Refusal(400, "A field of the form is there twice.")
    return form


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
