"""`templ train`: trains a page model on pages with gold text, and measures its quality."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path

import click
import msgspec
from rich.console import Console

from templ_core.lab.evaluation.report import group_by
from templ_core.lab.papers.foschini.phrases import SplitText, encode_idioms, find_idioms, split_text
from templ_core.lab.training.pages import GoldRecord, TrainingPage, read_training_page, thin
from templ_core.lab.training.quality import (
    SITE_SPREAD_MAX,
    F1s,
    PageResult,
    Quality,
    measure,
    spread,
    stability,
)
from templ_core.lab.training.train import (
    TooFewSites,
    TrainSettings,
    gather,
    held_out_results,
    train_page_model,
)
from templ_core.page_level.model.model_file import encode_model
from templ_core.page_level.model.page_model import About
from workers.cli.inputs import refuse_overwriting
from workers.cli.options import open_output
from workers.errors import InputProblem, UsageProblem
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_name, file_digest, read_taught_pages, write_file
from workers.lab.evaluation.corpus_files import read_gold_pages


@click.command()
@lab.corpora
@click.option(
    "--out",
    type=lab.FILE,
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
    type=lab.PATH,
    help="Also train on a corpus without gold, with the texts of what `templ run` wrote for it. Such "
    "pages are named by the file CLEANED. May be repeated.",
)
@lab.option("--pages-per-site", default=25, help="Largest number of pages to use of each site.")
@lab.option(
    "--licence",
    default="not stated",
    help="Licence of the training pages, which is recorded in the model.",
)
@click.option(
    "--folds",
    type=lab.DIRECTORY,
    help="Also write the models of the cross-validation to this directory: each was trained "
    "without a part of the sites. `templ evaluate --folds` and some experiments need them.",
)
@lab.option(
    "--leave-out",
    type=click.Choice(("sites", "languages")),
    default="sites",
    help="What is left out of the training of the models that score a page: its site, or all sites in its language.",
)
@lab.seed("Seed of the training; equal seeds and pages give an equal model.")
@lab.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
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
    better than what one page shows. See `--taught`.
    """
    say = Console(stderr=True).print
    files = [*corpora, *(cleaned for _, cleaned in taught)]
    by_name = _weights(weights, [corpus_name(path) for path in files])
    read = [
        *(read_gold_pages(path) for path in corpora),
        *(read_taught_pages(path, cleaned) for path, cleaned in taught),
    ]
    used, unread = _read([page for some in read for page in thin(some, pages_per_site)])
    try:
        corpus = gather(used, by_name, by_language=leave_out == "languages")
    except TooFewSites as error:
        raise InputProblem(f"{', '.join(map(str, corpora))}: {error}") from None
    trained = train_page_model(corpus, TrainSettings(seed=seed), say)
    quality = measure([*trained.results, *unread])
    about = About(
        corpora={corpus_name(path): file_digest(path) for path in files},
        licence=licence,
        quality={name: round(one.f1, 4) for name, one in quality.corpora.items()},
    )
    model = msgspec.structs.replace(trained.model, about=about)
    write_file(out, encode_model(model))
    if folds is not None:
        sites: dict[str, dict[str, int]] = {}
        for page, fold in zip(corpus.pages, corpus.fold.tolist(), strict=True):
            sites.setdefault(page.corpus, {})[page.site] = fold
        for number, model_without_fold in enumerate(trained.held_out_models):
            write_file(folds / f"fold-{number}.bin", encode_model(model_without_fold))
        write_file(folds / "folds.json", msgspec.json.format(msgspec.json.encode(sites)))
    write_file(out.with_suffix(".quality.json"), msgspec.json.format(msgspec.json.encode(quality)))
    _print(quality, model.version)
    if seeds > 1:
        others = [
            held_out_results(corpus, trained.scores, TrainSettings(seed=other), say)
            for other in range(seed + 1, seed + seeds)
        ]
        _print_stability(stability([trained.results, *others]))


def _read(pages: Sequence[GoldRecord]) -> tuple[list[TrainingPage], list[PageResult]]:
    """Return the pages that can be trained on, and the results of those that cannot be read."""
    used, unread = [], []
    for page in lab.tracked(pages, "reading"):
        read = read_training_page(page)
        if read is not None:
            used.append(read)
        else:
            unread.append(PageResult(corpus=page.corpus, site=page.site, page_type=page.page_type))
    return used, unread


def _weights(given: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    weights = {}
    for assignment in given:
        name, _, number = assignment.partition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            raise UsageProblem(f"--weight {assignment}: write it as NAME=NUMBER") from None
        if name not in names:
            raise UsageProblem(f"--weight {assignment}: the corpora are {', '.join(names)}")
        if not 0 < weights[name] < float("inf"):
            raise UsageProblem(f"--weight {assignment}: the number must be above 0")
    return weights


def _print(quality: Quality, version: str) -> None:
    rows: list[list[lab.Cell]] = [
        [
            *(name, one.pages, one.sites, one.f1, one.precision, one.recall, one.site_f1),
            f"{one.below_half:.1%}",
        ]
        for name, one in quality.corpora.items()
    ]
    header = ["corpus", "pages", "sites", "F1", "P", "R", "site F1", "<0.5"]
    report = lab.Report(None)
    report.table("Word F1 of sites left out", header, rows)
    report.say(f"model {version}; each page was scored by models trained without its site")


def _print_stability(f1s_of_corpus: Mapping[str, tuple[F1s, Mapping[str, F1s]]]) -> None:
    rows: list[list[lab.Cell]] = []
    for corpus, (f1, of_sites) in f1s_of_corpus.items():
        spreads = {site: spread(some) for site, some in of_sites.items()}
        worst = max(spreads, key=spreads.__getitem__, default=None)
        moved = f"{sum(one > SITE_SPREAD_MAX for one in spreads.values())} of {len(spreads)}"
        each = " ".join(f"{value:.4f}" for value in f1)
        rows.append([corpus, each, spread(f1), worst, worst and spreads[worst], moved])
    header = ["corpus", "F1 of each training", "spread", "site that moves most", "its spread"]
    header.append(f"sites above {SITE_SPREAD_MAX}")
    lab.Report(None).table("Trainings with different seeds", header, rows, 4)


@click.command()
@lab.corpora
@click.option("--out", type=lab.FILE, required=True, help="File to write the list to, as JSON.")
@lab.option(
    "--sites-min",
    type=click.IntRange(2),
    default=8,
    help="Smallest number of sites in whose content an idiom occurs.",
)
@lab.option("--pages-per-site", default=40, help="Largest number of pages to use of each site.")
def train_idioms(
    corpora: Sequence[Path], *, out: Path, sites_min: int, pages_per_site: int
) -> None:
    """List the strings that occur in the content of many sites of CORPORA and in few templates.

    Such idioms ("as well as the") recur without being template, so phrases must not consist of
    them. CORPORA are JSON Lines with `url`, `site`, `html` and `gold_text`.
    """
    refuse_overwriting(corpora, out=out)
    pages = [page for path in corpora for page in thin(read_gold_pages(path), pages_per_site)]
    texts = ((page.site, split_text(page)) for page in lab.tracked(pages, "reading"))
    sites = group_by([(site, text) for site, text in texts if text], itemgetter(0))
    joined = [SplitText.joined([text for _, text in some]) for some in sites.values()]
    idioms = find_idioms(joined, sites_min=sites_min)
    with open_output(out) as writer:
        writer.write(encode_idioms(idioms, sites=len(sites), sites_min=sites_min))
    click.echo(f"{len(idioms)} idioms of {len(sites)} sites: {out}", err=True)
