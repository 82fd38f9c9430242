"""`templ feed`: files into `pages`."""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from schemas.dead_letter import DeadLetter
from workers.cli.inputs import FeedReader, refuse_overwriting
from workers.cli.options import broker_options
from workers.cli.progress import progress
from workers.local.dead_letters import DeadLetterFile
from workers.page import Page, Rejected
from workers.settings import load_settings

_SOME_REFUSED = 1


@click.command(short_help="Send pages from files to the topic `pages`.")
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@broker_options
@click.option(
    "--time-field",
    default="fetched_at",
    show_default=True,
    help="Field with the event time; `none` spaces the pages a minute apart from 2000-01-01.",
)
@click.option("--rate", type=click.FloatRange(0, min_open=True), help="Pages a second.")
@click.option(
    "--dead-letters",
    type=click.Path(path_type=Path),
    default=Path("feed.dead-letters"),
    show_default=True,
    help="Records that could not be sent, with the reason and their bytes, JSON Lines.",
)
def feed(
    inputs: tuple[Path, ...],
    broker: str,
    prefix: str,
    time_field: str,
    rate: float | None,
    dead_letters: Path,
) -> None:
    """Send pages of INPUT... to the topic `pages`, keyed by site. Inputs as of `templ run`.

    Exit code 1: some records could not be sent; they are in the dead letters.
    """
    settings = load_settings()
    reader = FeedReader(inputs, time_field=time_field, settings=settings)
    refuse_overwriting(inputs, dead_letters=dead_letters)
    with ExitStack() as stack:
        dead = DeadLetterFile(dead_letters)
        stack.callback(dead.close)
        sent = asyncio.run(_send(reader, broker, prefix, rate, dead, settings.message_limit_bytes))
    click.echo(f"{sent} pages sent, {dead.count} refused", err=True)
    if dead.count:
        click.echo(f"refused records: {dead.path}", err=True)
        sys.exit(_SOME_REFUSED)


async def _send(
    reader: FeedReader,
    broker: str,
    prefix: str,
    rate: float | None,
    dead: DeadLetterFile,
    limit_bytes: int,
) -> int:
    from workers.kafka.broker.feeder import Feeder, Pace  # noqa: PLC0415 - not needed for --help

    pace = Pace(rate) if rate else None
    sent = 0
    with progress(reader.bytes_total) as bar:
        async with Feeder(broker, prefix, limit_bytes) as feeder:
            for record in reader:
                if pace is not None:
                    await pace.wait()
                letter = await feeder.send(record) if isinstance(record, Page) else _letter(record)
                if letter is None:
                    sent += 1
                else:
                    click.echo(f"templ: refused: {letter.message}", err=True)
                    dead.write(record, letter)
                bar.update(reader.bytes_read, f"{sent} pages")
    return sent


def _letter(record: Rejected) -> DeadLetter:
    return DeadLetter(exception=record.exception, message=record.message, stage="receive")
