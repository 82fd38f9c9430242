"""`templ topics`: create the topics, and check those that exist."""

import asyncio

import click

from schemas.topics import DEFAULT_PARTITIONS
from workers.cli.options import broker_options
from workers.errors import TopicProblem
from workers.kafka.broker import admin
from workers.kafka.broker.access import BrokerAccess
from workers.log_lines import counted

_COUNT = click.IntRange(min=1)


@click.group(name="topics")
def topics_command() -> None:
    """Create the Kafka topics, or check them."""


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
    problems = asyncio.run(admin.check_topics(access, partitions))
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        raise TopicProblem(f"{counted(len(problems), 'problem')} with the topics at {access}")
    click.echo("all topics are right")
