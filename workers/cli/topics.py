"""`templ topics`: create the topics, check those that are there."""

import asyncio

import click

from schemas.topics import DEFAULT_PARTITIONS
from workers.cli.options import broker_options
from workers.errors import TopicProblem
from workers.kafka.broker import admin

COUNT = click.IntRange(min=1)


@click.group()
def topics() -> None:
    """Create the Kafka topics, or check them."""


@topics.command()
@broker_options
@click.option(
    "--partitions",
    type=COUNT,
    metavar="N",
    help=f"Of every new topic.  [default: as documents has, else {DEFAULT_PARTITIONS}]",
)
@click.option(
    "--replication-factor",
    type=COUNT,
    metavar="N",
    help="Copies of each partition.  [default: the broker's own]",
)
def create(
    broker: str, prefix: str, partitions: int | None, replication_factor: int | None
) -> None:
    """Create the topics that are missing.

    Those that are there stay as they are; if one of them is wrong, nothing is created.
    """
    created = asyncio.run(
        admin.create_topics(broker, prefix, partitions, replication_factor=replication_factor)
    )
    for name in created:
        click.echo(f"created {name}")
    if not created:
        click.echo("all topics are there already")


@topics.command()
@broker_options
@click.option("--partitions", type=COUNT, metavar="N", help="Also check that there are that many.")
def check(broker: str, prefix: str, partitions: int | None) -> None:
    """Say what is wrong with the topics, one line each; exit code 78 if anything is."""
    problems = asyncio.run(admin.check_topics(broker, prefix, partitions))
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise TopicProblem(f"{count} with the topics at {broker}")
    click.echo("all topics are right")
