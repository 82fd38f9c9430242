"""`templ seed`: give a broker what a run on files has learned."""

import asyncio
from pathlib import Path

import click

from workers.cli.options import broker_options
from workers.errors import StateProblem
from workers.settings import load_settings


@click.command(short_help="Give what a run on files has learned to the workers on Kafka.")
@click.argument("state", type=click.Path(file_okay=False, path_type=Path))
@broker_options
def seed(state: Path, broker: str, prefix: str) -> None:
    """Send the windows and site models of STATE, as `templ run --state` leaves it, to the topics.

    Workers that start afterwards know the sites from their first page on. STATE stays as it is.
    """
    from workers.kafka.broker.seed_broker import seed_broker  # noqa: PLC0415 - not needed for --help
    from workers.local.local_state import LocalState  # noqa: PLC0415

    if not (state / "state.json").exists():
        raise StateProblem(f"{state} is no state directory of `templ run`")
    settings = load_settings()
    known = LocalState(state, settings)
    try:
        sent = asyncio.run(seed_broker(broker, prefix, known.windows, known.models, settings))
    finally:
        known.close()
    click.echo(f"{sent} documents and site models sent", err=True)
