"""`templ train-idioms`: lists strings that recur on many sites although they are content."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from templ_core.lab.papers.foschini.fit_idioms import (
    IdiomSettings,
    SplitText,
    find_idioms,
    split_text,
)
from templ_core.lab.papers.foschini.phrases import encode_idioms
from templ_core.lab.training.pages import thin
from workers.cli.inputs import refuse_overwriting
from workers.cli.options import open_output
from workers.lab.options import corpora_argument
from workers.lab.training_pages import read_gold_pages


@click.command()
@corpora_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File to write the list to, as JSON.",
)
@click.option(
    "--sites-min",
    type=click.IntRange(2),
    default=8,
    show_default=True,
    help="Smallest number of sites in whose content an idiom occurs.",
)
@click.option(
    "--template-share-max",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Largest number of sites in whose template it occurs, relative to those in whose "
    "content it does.",
)
@click.option(
    "--pages-per-site",
    default=40,
    show_default=True,
    help="Largest number of pages to use of each site.",
)
def train_idioms(
    corpora: Sequence[Path],
    *,
    out: Path,
    sites_min: int,
    template_share_max: float,
    pages_per_site: int,
) -> None:
    """List the strings that occur in the content of many sites of CORPORA and in few templates.

    Such idioms ("as well as the") recur without being template, so phrases must not consist of
    them. CORPORA are JSON Lines with `url`, `site`, `html` and `gold_text`.
    """
    refuse_overwriting(corpora, out=out)
    console = Console(stderr=True)
    pages = [page for path in corpora for page in thin(read_gold_pages(path), pages_per_site)]
    sites = defaultdict(list)
    for page in track(pages, "reading", console=console, disable=not console.is_terminal):
        text = split_text(page)
        if text is not None:
            sites[page.site].append(text)
    settings = IdiomSettings(sites_min=sites_min, template_share_max=template_share_max)
    found = find_idioms([SplitText.joined(some) for some in sites.values()], settings)
    with open_output(out) as writer:
        writer.write(encode_idioms(found, sites=len(sites), sites_min=sites_min))
    click.echo(f"{len(found)} idioms of {len(sites)} sites: {out}", err=True)
