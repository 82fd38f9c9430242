"""`templ worker`: run the worker on Kafka."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.cli.lazy import require_extra
from workers.cli.options import STATE_PATH, balance_option, broker_options, page_model_option
from workers.errors import StateProblem
from workers.log_forms import LogSetUp, set_up_logging
from workers.processes.child_start import end_with_parent
from workers.settings import load_settings, settings_line
from workers.state.directory import is_used

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess

_ROLES = ("cleaner", "refresher")
log = logging.getLogger("templ")


@click.command(name="worker")
@broker_options
@click.option(
    "--state",
    required=True,
    type=STATE_PATH,
    help="Directory for windows and site models; each worker needs its own.",
)
@click.option(
    "--role",
    type=click.Choice(["cleaner", "refresher", "both"]),
    default="both",
    show_default=True,
    help="`both` runs one process of each role and starts it again when it ends.",
)
@page_model_option
@balance_option
@click.option(
    "--supervisor", type=int, hidden=True, help="Id of the process with which this one ends."
)
def worker_command(
    access: BrokerAccess,
    state: Path,
    role: str,
    page_model: Path | None,
    balance: str | None,
    supervisor: int | None,
) -> None:
    """Clean pages from Kafka as they arrive, and learn each site's templates.

    The worker stops on SIGTERM or Ctrl-C. `templ settings` lists its settings.
    """
    if supervisor is not None:
        end_with_parent(supervisor)
    if is_used(state):
        raise StateProblem(
            f"{state} is a state directory of `templ run`: name another one for `templ worker`, and send "
            f"what it has learned to the broker with `templ seed {state} --broker {access}`"
        )
    broker = access.address
    settings = load_settings(
        broker=broker, prefix=access.prefix, page_model=page_model, balance=balance
    )
    if role != "both":
        from workers.kafka.run_role import run_role  # noqa: PLC0415 - takes two seconds to import

        run_role(role, access, state, settings, is_alone=supervisor is None)
        return
    from workers.kafka.supervisor import child_command, patiently, supervise, wait_for_broker  # noqa: PLC0415

    if settings.console_port is not None:
        require_extra("console", "TEMPL_CONSOLE_PORT")
    if settings.page_model is not None:
        from workers.processes.page_model import read_model_file  # noqa: PLC0415 - takes half a second

        read_model_file(settings.page_model)
    set_up_logging(LogSetUp("worker", settings.log_format, settings.log_level))
    log.info("settings: %s", settings_line(settings))
    wait_for_broker(broker, log.warning)
    if not any(is_used(state / role) for role in _ROLES):
        # Each role checks them, too; a topic that was there before is waited for.
        from workers.kafka.broker.admin import require_topics  # noqa: PLC0415

        patiently(lambda: asyncio.run(require_topics(access)), log.warning)
    given = {"--page-model": page_model, "--balance": balance}
    chosen = [
        text for name, value in given.items() if value is not None for text in (name, str(value))
    ]
    arguments = ["--broker", broker, "--prefix", access.prefix, "--state", str(state), *chosen]
    commands = {name: child_command("worker", ["--role", name, *arguments]) for name in _ROLES}
    if settings.console_port is not None:
        commands["console"] = child_command("console", arguments)
    sys.exit(supervise(commands, extras={"console"}))
