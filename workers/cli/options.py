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
    help="File of a page model that `templ train` wrote.  "
    "[default: TEMPL_PAGE_MODEL, otherwise the one that comes with templ]",
)

comments_option = click.option(
    "--comments",
    type=click.Choice(["auto", "keep", "drop"]),
    help="What becomes of readers' comments and reviews; auto drops comments on articles and keeps "
    "them on forum threads.  [default: TEMPL_COMMENTS, otherwise auto]",
)


def broker_options(command: Command) -> Command:
    """Add the options --broker and --prefix to a command."""
    prefix = click.option(
        "--prefix",
        envvar="TEMPL_PREFIX",
        default="",
        metavar="TEXT",
        help="Text before the name of each topic.",
    )
    broker = click.option(
        "--broker",
        envvar="TEMPL_BROKER",
        required=True,
        metavar="HOST:PORT",
        help="Kafka broker; several are separated by commas.",
    )
    return broker(prefix(command))
