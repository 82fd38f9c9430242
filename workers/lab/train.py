"""`templ train`: trains a page model on pages with gold text, and measures its quality."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from workers.errors import InputProblem, UsageProblem
from workers.lab.corpora import corpus_name
from workers.lab.options import corpora_argument
from workers.lab.training_pages import (
    file_digest,
    read_gold_pages,
    read_taught_pages,
    training_modules,
    write_file,
)


@click.command()
@corpora_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File to write the model to. A report of its quality is written beside it, with the "
    "ending .quality.json.",
)
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Weight of each page of a corpus; the name is that of the file without endings. May be "
    "repeated.  [default: 1]",
)
@click.option(
    "--taught",
    nargs=2,
    multiple=True,
    metavar="CORPUS CLEANED",
    type=click.Path(path_type=Path),
    help="Also train on a corpus without gold, with the texts of what `templ run` wrote for it. Such "
    "pages are named by the file CLEANED. May be repeated.",
)
@click.option(
    "--pages-per-site",
    default=25,
    show_default=True,
    help="Largest number of pages to use of each site.",
)
@click.option(
    "--licence",
    default="not stated",
    show_default=True,
    help="Licence of the training pages, which is recorded in the model.",
)
@click.option(
    "--folds",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the models of the cross-validation to this directory: each was trained "
    "without a part of the sites. `templ evaluate --folds` and some experiments need them.",
)
@click.option(
    "--leave-out",
    type=click.Choice(("sites", "languages")),
    default="sites",
    show_default=True,
    help="What the models of the cross-validation have not seen of the pages that they are judged by: their sites, "
    "or all sites in their language.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the training; equal seeds and pages give an equal model.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Train this many times with consecutive seeds, and print how much the results differ.",
)
def train(
    corpora: Sequence[Path],
    *,
    out: Path,
    weights: Sequence[str],
    taught: Sequence[tuple[Path, Path]],
    pages_per_site: int,
    licence: str,
    folds: Path | None,
    leave_out: str,
    seed: int,
    seeds: int,
) -> None:
    """Train a page model on CORPORA.

    CORPORA are JSON Lines with `url`, `site`, `html` and `gold_text`; `gold_selector` is used where
    it is present. At least 10 sites of different owners are needed.

    Quality is measured by nested cross-validation: every page is scored by models that were trained
    without its site and without all other sites of the same owner.

    Pages without gold may teach, too: what `templ run` publishes with the evidence of their site is
    better than what one page tells. See `--taught`.
    """
    training = training_modules()
    console = Console(stderr=True)
    files = [*corpora, *(cleaned for _, cleaned in taught)]
    by_name = _weights(weights, [corpus_name(path) for path in files])
    read = [
        *(read_gold_pages(path, training) for path in corpora),
        *(read_taught_pages(path, cleaned, training) for path, cleaned in taught),
    ]
    pages = [page for some in read for page in training.pages.thin(some, pages_per_site)]
    used, unread = _read(pages, training, console)
    try:
        corpus = training.train.gather(used, by_name, by_language=leave_out == "languages")
    except training.train.TooFewSites as error:
        raise InputProblem(f"{', '.join(map(str, corpora))}: {error}") from None
    settings = training.train.TrainSettings(seed=seed)
    trained = training.train.train_page_model(corpus, settings, console.print)
    quality = training.quality.measure([*trained.results, *unread])
    model = msgspec.structs.replace(
        trained.model,
        about=training.model.About(
            corpora={corpus_name(path): file_digest(path) for path in files},
            licence=licence,
            quality={name: round(one.f1, 4) for name, one in quality.corpora.items()},
        ),
    )
    write_file(out, training.model_file.encode_model(model))
    if folds is not None:
        _write_folds(
            folds,
            [training.model_file.encode_model(one) for one in trained.held_out_models],
            corpus,
        )
    write_file(out.with_suffix(".quality.json"), msgspec.json.format(msgspec.json.encode(quality)))
    _print(quality, model.version)
    if seeds > 1:
        others = [
            training.train.held_out_results(
                corpus, trained.scores, training.train.TrainSettings(seed=other), console.print
            )
            for other in range(seed + 1, seed + seeds)
        ]
        _print_stability(training.stability.stability([trained.results, *others]), training)


def _read(pages: Sequence[Any], training: Any, console: Console) -> tuple[list[Any], list[Any]]:
    """Return the pages that can be trained on, and the results of those that cannot be read."""
    used, unread = [], []
    for page in track(pages, "reading", console=console, disable=not console.is_terminal):
        one = training.pages.read_training_page(page)
        if one is not None:
            used.append(one)
        else:
            unread.append(
                training.quality.PageResult(
                    corpus=page.corpus, site=page.site, page_type=page.page_type
                )
            )
    return used, unread


def _weights(options: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    weights = {}
    for option in options:
        name, _, number = option.partition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            raise UsageProblem(f"--weight {option}: write it as NAME=NUMBER") from None
        if name not in names:
            raise UsageProblem(f"--weight {option}: the corpora are {', '.join(names)}")
        if not 0 < weights[name] < float("inf"):
            raise UsageProblem(f"--weight {option}: the number must be above 0")
    return weights


def _write_folds(directory: Path, models: Sequence[bytes], corpus: Any) -> None:
    """Write the models, and an index of which model was trained without which site."""
    _make_directory(directory)
    for number, body in enumerate(models):
        write_file(directory / f"fold-{number}.bin", body)
    sites: dict[str, dict[str, int]] = {}
    for page, fold in zip(corpus.pages, corpus.fold.tolist(), strict=True):
        sites.setdefault(page.corpus, {})[page.site] = fold
    write_file(directory / "folds.json", msgspec.json.format(msgspec.json.encode(sites)))


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; name a place that can be written") from None


def _print(quality: Any, version: str) -> None:
    table = Table("corpus", "pages", "sites", "F1", "P", "R", "site F1", "<0.5")
    for name, one in quality.corpora.items():
        table.add_row(
            name,
            str(one.pages),
            str(one.sites),
            *(f"{value:.3f}" for value in (one.f1, one.precision, one.recall, one.site_f1)),
            f"{one.below_half:.1%}",
        )
    console = Console()
    console.print(table)
    console.print(f"model {version}; each page was scored by models trained without its site")


def _print_stability(stability: Any, training: Any) -> None:
    most = training.stability.SITE_SPREAD_MAX
    table = Table(
        *("corpus", "F1 of each training", "spread"),
        *("site that moves most", "spread", f"sites above {most}"),
    )
    for name, one in stability.corpora.items():
        sites = stability.sites[name]
        worst = max(sites, key=lambda site: sites[site].widest, default="")
        table.add_row(
            name,
            " ".join(f"{value:.4f}" for value in one.f1),
            f"{one.widest:.4f}",
            worst,
            f"{sites[worst].widest:.4f}" if worst else "",
            f"{sum(site.widest > most for site in sites.values())} of {len(sites)}",
        )
    Console().print(table)
