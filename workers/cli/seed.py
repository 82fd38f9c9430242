"""`templ seed`: send what a run on files has learned to the topics of a broker."""

import asyncio
from pathlib import Path

import click

from workers.cli.options import STATE_PATH, broker_options
from workers.errors import StateProblem
from workers.settings import load_settings


@click.command(name="seed")
@click.argument("state", type=STATE_PATH)
@broker_options
def seed_command(state: Path, broker: str, prefix: str) -> None:
    """Send the windows and site models of STATE to the topics of a broker.

    STATE is a state directory of `templ run --state`, which is not changed. Workers that start
    afterwards use these site models from the first page on.
    """
    from workers.kafka.broker.seed_broker import seed_broker  # noqa: PLC0415 - not needed for --help
    from workers.local.local_state import LocalState  # noqa: PLC0415

    if not (state / "state.json").exists():
        raise StateProblem(f"{state} is not a state directory of `templ run`")
    settings = load_settings()
    known = LocalState(state, settings)
    try:
        sent = asyncio.run(seed_broker(broker, prefix, known.windows, known.models, settings))
    finally:
        known.close()
    click.echo(f"{sent} documents and site models sent", err=True)
