"""Options that several commands share."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def broker_options(command: Command) -> Command:
    """Add --broker and --prefix: which Kafka, and which topics on it."""
    prefix = click.option(
        "--prefix",
        envvar="TEMPL_PREFIX",
        default="",
        metavar="TEXT",
        help="Before each topic's name.",
    )
    broker = click.option(
        "--broker",
        envvar="TEMPL_BROKER",
        required=True,
        metavar="HOST:PORT",
        help="Kafka broker, or several with commas.",
    )
    return broker(prefix(command))
