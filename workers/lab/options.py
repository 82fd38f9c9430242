"""Arguments and options that several commands of the laboratory share."""

from pathlib import Path

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
