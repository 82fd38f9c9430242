"""`templ topics`: create the topics, check those that exist, or give them more partitions."""

import asyncio

import click

from schemas.topics import DEFAULT_PARTITIONS
from workers.cli.options import broker_options
from workers.errors import TopicProblem
from workers.kafka.broker import admin
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.operate.record_moves import Moved, NumberChange
from workers.kafka.operate.repartition import count_moves, planned_change
from workers.kafka.operate.repartition import repartition as make_change
from workers.log_lines import counted, one_line
from workers.settings import load_settings

_COUNT = click.IntRange(min=1)


@click.command()
@broker_options
@click.option(
    "--partitions",
    type=_COUNT,
    metavar="M",
    help="Partitions that the topics get.  [default: those of an interrupted change]",
)
@click.option(
    "--from",
    "old",
    type=_COUNT,
    metavar="N",
    help="Partitions that the topics had, where partitions were added to all of them by hand.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would move.")
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Most records sent per second.  [default: no limit]",
)
def repartition(
    access: BrokerAccess,
    partitions: int | None,
    old: int | None,
    *,
    dry_run: bool,
    rate: float | None,
) -> None:
    """Give the topics M partitions, and move the records of sites to their new partitions.

    Running workers end by themselves and wait until everything is moved; then they rebuild their windows.
    Crawlers and consumers of `cleaned` go on. If the command is interrupted, run it again.
    """
    settings = load_settings()
    change = asyncio.run(planned_change(access, partitions, old))
    if change is None:
        click.echo("the topics have so many partitions already")
        return
    if dry_run:
        work = count_moves(access, change, settings, _say)
    else:
        work = make_change(access, change, settings, records_per_s=rate, say=_say)
    for line in _moved_lines(asyncio.run(work), change, is_dry=dry_run):
        click.echo(line)


def _say(line: str) -> None:
    click.echo(one_line(line), err=True)


def _moved_lines(found: list[Moved], change: NumberChange, *, is_dry: bool) -> list[str]:
    would = "would move" if is_dry else "moved"
    lines = [f"from {change.old} to {change.new} partitions"]
    for one in found:
        mib = one.size_bytes / (1 << 20)
        lines.append(f"{one.topic}: {one.records} of {one.read} records {would}, {mib:.1f} MiB")
        if one.unreadable:
            lines.append(
                f"{one.topic}: {one.unreadable} records cannot be read, so they stay where they are"
            )
    if not is_dry:
        lines.append("workers that wait go on within half a minute; others may be started")
    return lines


@click.group(name="topics")
def topics_command() -> None:
    """Create the Kafka topics, check them, or give them more partitions."""


topics_command.add_command(repartition)


@topics_command.command()
@broker_options
@click.option(
    "--partitions",
    type=_COUNT,
    metavar="N",
    help="Partitions of every new topic.  [default: as many as `documents` has, otherwise "
    f"{DEFAULT_PARTITIONS}]",
)
@click.option(
    "--replication-factor",
    type=_COUNT,
    metavar="N",
    help="Copies of each partition.  [default: the broker's own]",
)
def create(access: BrokerAccess, partitions: int | None, replication_factor: int | None) -> None:
    """Create the topics that do not exist.

    Existing topics are not changed; if one of them has wrong settings, nothing is created.
    """
    created = asyncio.run(
        admin.create_topics(access, partitions, replication_factor=replication_factor)
    )
    for name in created:
        click.echo(f"created {name}")
    if not created:
        click.echo("all topics exist already")


@topics_command.command(short_help="Print what is wrong with the topics.")
@broker_options
@click.option("--partitions", type=_COUNT, metavar="N", help="Also check the number of partitions.")
def check(access: BrokerAccess, partitions: int | None) -> None:
    """Print what is wrong with the topics, one line for each problem; exit code 78 if there is any."""
    rights = admin.worker_rights(load_settings())
    problems = asyncio.run(admin.check_topics(access, partitions, rights))
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        raise TopicProblem(f"{counted(len(problems), 'problem')} with the topics at {access}")
    click.echo("all topics are right")
