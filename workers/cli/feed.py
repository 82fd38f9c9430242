"""`templ feed`: send pages from files to the topic `pages`."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.cli.inputs import FeedReader, progress, refuse_overwriting
from workers.cli.options import broker_options, rate_option, time_field_option, unsent_option
from workers.cli.replay import end_sending, send_record
from workers.local.dead_letters import DeadLetterFile
from workers.log_lines import counted
from workers.pace import Pace
from workers.settings import Settings, load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess


@click.command(name="feed")
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@broker_options
@time_field_option
@rate_option
@unsent_option("feed.dead-letters")
def feed_command(
    inputs: tuple[Path, ...],
    access: BrokerAccess,
    time_field: str,
    rate: float | None,
    dead_letters: Path,
) -> None:
    """Send the pages of INPUT... to the topic `pages`, keyed by site.

    The inputs are those of `templ run`, and are sent as they are; `templ replay` sends archives in the order of
    time and goes on after a kill. Exit code 1 means that some records could not be sent; they
    are in the file of dead letters.
    """
    settings = load_settings()
    reader = FeedReader(inputs, time_field=time_field, settings=settings)
    refuse_overwriting(inputs, dead_letters=dead_letters)
    with closing(DeadLetterFile(dead_letters)) as dead:
        sent = asyncio.run(_send(reader, access, rate, dead, settings))
    end_sending(sent, dead.count, dead.path, reader.problems)


async def _send(
    reader: FeedReader,
    access: BrokerAccess,
    rate: float | None,
    dead: DeadLetterFile,
    settings: Settings,
) -> int:
    from workers.kafka.broker.feeder import Feeder, items_off_loop  # noqa: PLC0415 - not for --help

    pace = Pace(rate) if rate else None
    sent = 0
    with progress(reader.bytes_total) as bar:
        async with Feeder(access, settings.message_limit_bytes) as feeder:
            async for record in items_off_loop(reader):
                if pace is not None:
                    await pace.wait()
                sent += await send_record(record, feeder, dead)
                bar(reader.bytes_read, counted(sent, "page"))
    return sent
