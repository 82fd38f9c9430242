"""`templ seed`: send what a run on files, or workers of other topics, have learned to the topics of a broker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.cli.options import STATE_PATH, access_to, broker_options, refuse
from workers.errors import StateProblem
from workers.log_lines import counted
from workers.settings import load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess


@click.command(name="seed")
@click.argument("state", type=STATE_PATH, required=False)
@broker_options
@click.option(
    "--from-prefix",
    metavar="TEXT",
    help="Text before the names of the topics that are copied instead of STATE; '' for none.",
)
@click.option(
    "--from-broker",
    metavar="HOST:PORT",
    help="Kafka broker of --from-prefix.  [default: that of --broker]",
)
def seed_command(
    state: Path | None, access: BrokerAccess, from_prefix: str | None, from_broker: str | None
) -> None:
    """Send the windows, site models and site settings of STATE to the topics of a broker.

    STATE is a state directory of `templ run --state`, which is not changed. Workers that start
    afterwards use these site models from the first page on. Settings that a site has on the broker stay.
    With --from-prefix, the topics of other workers are copied, to any number of partitions.
    """
    refuse(
        (state is None) == (from_prefix is None),
        "give either a state directory or --from-prefix",
    )
    if state is not None:
        _seed(state, access)
        return
    source = access_to(from_broker or access.address, from_prefix or "")
    refuse(
        (source.address, source.prefix) == (access.address, access.prefix),
        "--from-prefix names the topics of --prefix: give another one",
    )
    from workers.kafka.operate.record_copies import copy_learned  # noqa: PLC0415 - not for --help

    for topic, count in asyncio.run(copy_learned(source, access, load_settings())).items():
        click.echo(f"{access.topic(topic)}: {counted(count, 'record')} copied", err=True)


def _seed(state: Path, access: BrokerAccess) -> None:
    from workers.kafka.broker.feeder import seed_broker  # noqa: PLC0415 - not needed for --help
    from workers.kafka.site_records import seed_settings  # noqa: PLC0415
    from workers.local.local_state import LocalState  # noqa: PLC0415

    if not (state / "state.json").exists():
        raise StateProblem(f"{state} is not a state directory of `templ run`")
    settings = load_settings()
    known = LocalState(state, settings)
    try:
        sent = asyncio.run(seed_broker(access, known.windows, known.models, settings))
        decided = known.site_settings.records()
        left = asyncio.run(seed_settings(access, decided))
    finally:
        known.close()
    click.echo(
        f"{counted(sent, 'document')} sent with their site models, and the settings of {counted(len(decided) - len(left), 'site')}",
        err=True,
    )
    if left:
        click.echo(f"the broker has settings already, which stay, of {', '.join(left)}", err=True)
