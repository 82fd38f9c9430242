"""`templ seed`: send what a run on files has learned, and its site settings, to the topics of a broker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.cli.options import STATE_PATH, broker_options
from workers.errors import StateProblem
from workers.log_lines import counted
from workers.settings import load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess


@click.command(name="seed")
@click.argument("state", type=STATE_PATH)
@broker_options
def seed_command(state: Path, access: BrokerAccess) -> None:
    """Send the windows, site models and site settings of STATE to the topics of a broker.

    STATE is a state directory of `templ run --state`, which is not changed. Workers that start
    afterwards use these site models from the first page on. Settings that a site has on the broker stay.
    """
    from workers.kafka.broker.feeder import seed_broker  # noqa: PLC0415 - not needed for --help
    from workers.kafka.site_records import seed_settings  # noqa: PLC0415
    from workers.local.local_state import LocalState  # noqa: PLC0415

    if not (state / "state.json").exists():
        raise StateProblem(f"{state} is not a state directory of `templ run`")
    settings = load_settings()
    known = LocalState(state, settings)
    try:
        sent = asyncio.run(seed_broker(access, known.windows, known.models, settings))
        decided = known.book.records()
        left = asyncio.run(seed_settings(access, decided))
    finally:
        known.close()
    click.echo(
        f"{counted(sent, 'document')} sent with their site models, and the settings of {counted(len(decided) - len(left), 'site')}",
        err=True,
    )
    if left:
        click.echo(f"the broker has settings already, which stay, of {', '.join(left)}", err=True)
