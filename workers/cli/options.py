"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]

page_model_option = click.option(
    "--page-model",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="MODEL",
    help="Page model of your own, as `templ train` writes it.  "
    "[default: TEMPL_PAGE_MODEL, else the one that comes with templ]",
)

comments_option = click.option(
    "--comments",
    type=click.Choice(["auto", "keep", "drop"]),
    help="Readers' comments and reviews; auto: comments are out on articles, in on forum threads.  "
    "[default: TEMPL_COMMENTS, else auto]",
)


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
