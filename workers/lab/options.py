"""Arguments and options that several commands of the laboratory share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from workers.lab.evaluation.peers import PEERS

corpora_argument = click.argument(
    "corpora", nargs=-1, required=True, type=click.Path(path_type=Path)
)
peers_option = click.option(
    "--peer",
    "peers",
    multiple=True,
    type=click.Choice(PEERS),
    help="Also score another extractor; may be repeated. Needs the extra `peers`.",
)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory to write the tables (HTML) and the figures (SVG) to.",
)

time_field_option = click.option(
    "--time-field",
    default="arrival",
    show_default=True,
    help="Field that orders the pages; see `templ run --help`.",
)
jobs_option = click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of sites to process at the same time.",
)


def seed_option(of_what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--seed`, with 0 for its default; the help says what it is the seed of."""
    return click.option("--seed", default=0, show_default=True, help=of_what)
