"""`templ experiments automatic-train`: trains the page model on pages without gold."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from templ_core.lab.training.labels.site_pages import TooFewPages
from templ_core.lab.training.train import TooFewSites, TrainSettings
from templ_core.lab.training.train_without_gold import train_without_gold
from templ_core.page_level.model.model_file import encode_model
from templ_core.page_level.model.page_model import About
from templ_core.site_key import LOCAL, site_key
from workers.errors import InputProblem
from workers.lab.corpora import corpus_name, read_objects, read_site_pages, sample_uniformly
from workers.lab.options import FILE, PATH, corpora_argument, option, seed_option
from workers.lab.training_pages import file_digest, write_file


@click.command(short_help="Train the page model on pages without gold.")
@corpora_argument
@click.option(
    "--out",
    type=FILE,
    required=True,
    help="File to write the page model to; `templ evaluate --page-model` scores it.",
)
@click.option(
    "--without",
    multiple=True,
    type=PATH,
    help="Leave out all sites of the registrable domains in this corpus, which the model is to be "
    "scored on; may be repeated.",
)
@option(
    "--counted",
    default=60,
    help="Largest number of pages of a site on which recurring text is counted.",
)
@option(
    "--pages-per-site",
    default=15,
    help="Largest number of pages of a site that the model is trained on.",
)
@seed_option("Seed of the training; equal seeds and pages give an equal model.")
def automatic_train(
    corpora: Sequence[Path],
    *,
    out: Path,
    without: Sequence[Path],
    counted: int,
    pages_per_site: int,
    seed: int,
) -> None:
    """Train the page model on CORPORA without using gold.

    CORPORA need several pages a site: what recurs on a site is labelled as template. The result is
    a page model like any other. Use this command if you have a crawl but no gold text.
    """
    shut_out = {domain for path in without for domain in _domains(path)}
    pages = [
        page
        for page in sample_uniformly(list(read_site_pages(corpora)), counted)
        if not shut_out & set(_domains_of(page.url, page.site))
    ]
    try:
        model = train_without_gold(
            pages,
            pages_per_site,
            TrainSettings(seed=seed),
            lambda done: click.echo(done, err=True),
        )
    except (TooFewPages, TooFewSites) as error:
        raise InputProblem(f"{', '.join(map(str, corpora))}: {error}") from None
    about = About(
        corpora={corpus_name(path): file_digest(path) for path in corpora},
        licence="not stated",
        quality={},
    )
    write_file(out, encode_model(msgspec.structs.replace(model, about=about)))


def _domains(path: Path) -> Iterable[str]:
    for _, record in read_objects(path):
        yield from _domains_of(record["url"], record.get("site") or "")


def _domains_of(url: str, site: str) -> list[str]:
    names = [site_key(url), site_key(site) if "." in site else LOCAL]
    return [name for name in names if name != LOCAL]
