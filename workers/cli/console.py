"""`templ console`: show the sites of a worker in a browser, and correct them."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
from pathlib import Path

import click

from workers.cli.options import (
    balance_option,
    give_way,
    optional_broker_option,
    page_model_option,
    prefix_option,
    state_option,
)
from workers.cli.site import SettingsPlace
from workers.log_forms import LogSetUp, set_up_logging
from workers.processes.child_start import end_with_parent
from workers.settings import Settings, load_settings

_PORT = 9190
"""Port of the console where no setting names one."""


@click.command(name="console")
@state_option
@optional_broker_option(
    "Kafka broker of the worker; without one, the directory must be one of `templ run`."
)
@prefix_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port of the console.  [default: TEMPL_CONSOLE_PORT, otherwise 9190]",
)
@page_model_option
@balance_option
@click.option(
    "--supervisor", type=int, hidden=True, help="Id of the process with which this one ends."
)
def console_command(
    state: Path,
    broker: str | None,
    prefix: str,
    port: int | None,
    page_model: Path | None,
    balance: str | None,
    supervisor: int | None,
) -> None:
    """Serve a web page with the sites of a state directory, what is known of each, and their settings.

    It listens at 127.0.0.1 unless TEMPL_CONSOLE_HOST says otherwise, and changes nothing without the token
    that TEMPL_CONSOLE_TOKEN_FILE names. `templ worker` serves it when TEMPL_CONSOLE_PORT is set.
    """
    if supervisor is not None:
        end_with_parent(supervisor)
    settings = load_settings(page_model=page_model, balance=balance, console_port=port)
    set_up_logging(LogSetUp("console", settings.log_format, settings.log_level))
    place = SettingsPlace(broker, None, None, prefix)
    if place.broker is None:
        place = place._replace(state=state)
    if asyncio.run(_serve(settings, state, place.checked())):
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - nothing of this process's memory stays


async def _serve(settings: Settings, state: Path, place: SettingsPlace) -> bool:
    """Serve the console, and return whether its process is to restart."""
    from workers.console.config import ConsoleConfig  # noqa: PLC0415 - not needed for --help
    from workers.console.guard import allowed_hosts  # noqa: PLC0415
    from workers.console.pages import ConsolePages  # noqa: PLC0415
    from workers.console.queries import QueryProcesses  # noqa: PLC0415
    from workers.console.server import console_app, serve_console  # noqa: PLC0415
    from workers.console.site_list import SiteLister, read_lag  # noqa: PLC0415

    give_way(settings)
    config, port = ConsoleConfig(), settings.console_port or _PORT
    lag = None
    if place.broker is not None:
        lag = functools.partial(read_lag, place.access, config.lag_wait_s)
    processes = QueryProcesses(state, settings, config)
    pages = ConsolePages(
        config,
        SiteLister(state, processes, config, lag),
        processes,
        place,
        is_open=settings.console_token is not None,
    )
    hosts = allowed_hosts(settings.console_host, port, sorted(settings.console_names))
    app = console_app(pages, hosts, settings.console_token)
    return await serve_console(app, pages, settings, port)
