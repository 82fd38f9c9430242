"""`templ experiments pagelevel-train`: trains PAGELEVEL's classifier on pages without gold."""

from collections.abc import Sequence
from pathlib import Path

import click

from templ_core.lab.papers.pagelevel.smoothed_classifier import (
    encode_classifier,
    train_smoothed_classifier,
)
from templ_core.lab.training.labels.site_pages import TooFewPages
from workers.errors import InputProblem
from workers.lab.experiments.corpora.site_records import read_site_pages
from workers.lab.options import corpora_argument


@click.command(short_help="Train PAGELEVEL's classifier without gold.")
@corpora_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File to write the classifier to.",
)
def pagelevel_train(corpora: Sequence[Path], out: Path) -> None:
    """Train the four regressions of PAGELEVEL on CORPORA.

    CORPORA need several pages a site and no gold: SITELEVEL labels what recurs on each site. The
    other `pagelevel` experiments need the classifier; they must not use sites of CORPORA.
    """
    try:
        classifier = train_smoothed_classifier(
            read_site_pages(corpora), lambda done: click.echo(done, err=True)
        )
    except TooFewPages as error:
        raise InputProblem(str(error)) from None
    out.write_bytes(encode_classifier(classifier))
