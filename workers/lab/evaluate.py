"""`templ evaluate`: scores cleaned text against gold text, with other extractors for comparison."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from templ_core import __version__
from templ_core.config import Balance
from workers.cli.inputs import progress
from workers.cli.options import page_model_option
from workers.errors import UsageProblem
from workers.lab import experiment as lab
from workers.lab.evaluation.corpus_files import EvaluationFiles
from workers.lab.evaluation.judge import TEMPL, Judgement, judge_all
from workers.lab.evaluation.page_models import PageModels, models_of_folds, one_model
from workers.lab.evaluation.peers import (
    COMMAND_DEADLINE_S,
    PEERS,
    CommandPeer,
    Peer,
    load_peer,
    peer_version,
)
from workers.lab.evaluation.tables import figures_as_json, find_figures, print_tables, render_report
from workers.processors import processor_count
from workers.settings import load_settings


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=lab.PATH)
@page_model_option
@lab.folds(
    "Clean each page with a model that was trained without its site. The directory is one that "
    "`templ train --folds` wrote."
)
@click.option(
    "--peer",
    "peers",
    multiple=True,
    type=click.Choice(PEERS),
    help="Score and time another extractor on the same pages; may be repeated. Needs the extra "
    "`peers`; one that is not installed is left out.",
)
@click.option(
    "--peer-command",
    "commands",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Score and time an external program, too; may be repeated. It gets the HTML of one page on "
    f"standard input and has {COMMAND_DEADLINE_S:.0f} seconds to print the text.",
)
@click.option(
    "--html",
    "report",
    type=lab.FILE,
    help="Write a report with plots and the worst pages to one HTML file that needs no network.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--pages-per-site",
    type=click.IntRange(min=1),
    metavar="N",
    help="Score only the first N pages with gold of each site.  [default: all]",
)
@click.option(
    "--text-only",
    is_flag=True,
    help="Score only the words of the text. This omits the f-measures of templates and links, "
    "the precision-recall curve and the adjusted RAND index, and is several times faster.",
)
@click.option(
    "--balance",
    "balances",
    multiple=True,
    type=click.Choice(get_args(Balance)),
    help="Balance of precision and recall; may be repeated, with a row for each.  [default: even]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=processor_count(),
    show_default="number of processors",
    help="Number of child processes; times vary least with 1.",
)
@lab.seed("Seed of the bootstrap for the 95 % intervals.")
def evaluate(
    files: Sequence[Path],
    page_model: Path | None,
    folds: Path | None,
    peers: Sequence[str],
    commands: Sequence[str],
    report: Path | None,
    *,
    balances: Sequence[Balance],
    pages_per_site: int | None,
    workers: int,
    seed: int,
    as_json: bool,
    text_only: bool,
) -> None:
    """Score cleaned text against gold text: over all pages, and by corpus, site and page type.

    Each FILE is a corpus or an output of `templ run`. A corpus is JSON Lines with `url`, `html` and
    `gold_text`; the fields `site`, `kind`, `gold_selector`, `gold_exclude` and `gold_neutral` are
    optional.

    With corpora alone, every page is cleaned here as the first page of a new site. With an output
    of `templ run` for these corpora, its first texts (revision 0) are scored instead; they are
    joined with the pages by the checksum and the number of their records, else by their URLs.

    Text of `gold_neutral`, a headline that the gold lacks, and sentences of eight words and more that
    the gold of at least four pages and a twentieth of a site's pages has, neither help nor hurt.

    The name `-` stands for standard input.
    """
    if report is not None and report.resolve() in {path.resolve() for path in files}:
        raise UsageProblem(f"--html {report} is an input too; name another output file")
    installed, left_out = _installed([*dict.fromkeys(peers), *map(CommandPeer.of, commands)])
    for problem in left_out:
        click.echo(problem, err=True)
    models = _page_models(page_model, folds)
    sources = EvaluationFiles(files, pages_per_site)
    if sources.outputs is not None and (page_model or folds or balances):
        raise UsageProblem(
            "--page-model, --folds and --balance choose how pages are cleaned, but an input file "
            "holds text that is cleaned already"
        )
    with progress(sources.bytes_total) as bar:
        judgements = list(
            judge_all(
                sources.pages(bar),
                models,
                installed,
                workers,
                with_segments=not text_only,
                balances=list(dict.fromkeys(balances)) or ["even"],
            )
        )
    figures = find_figures(
        judgements,
        _versions(installed, models, sources, balances),
        [*left_out, *sources.notes(), *_training_notes(models, judgements)],
        seed,
    )
    if report is not None:
        _write(report, render_report(figures))
    if as_json:
        click.echo(json.dumps(figures_as_json(figures)))
    else:
        print_tables(figures)
    if report is not None:
        click.echo(f"report: {report}", err=True)


def _page_models(page_model: Path | None, folds: Path | None) -> PageModels:
    """Return the page models that pages are cleaned with, given the options that name them."""
    if folds is None:
        return one_model(load_settings(page_model=page_model).page_model)
    if page_model is not None:
        raise UsageProblem("give --page-model or --folds, not both")
    return models_of_folds(folds)


def _versions(
    installed: Sequence[Peer],
    models: PageModels,
    sources: EvaluationFiles,
    balances: Sequence[Balance],
) -> dict[str, str]:
    outputs = sources.outputs
    model_versions = models.versions() if outputs is None else sorted(outputs.versions)
    return {
        "templ": __version__ + (f", cut for {balances[0]}" if balances else ""),
        "page model": ", ".join(model_versions),
        **{str(one): peer_version(one) for one in installed},
    }


def _installed(peers: Sequence[Peer]) -> tuple[list[Peer], list[str]]:
    """Return the peers that can be run here, and a line for each other one."""
    installed, left_out = [], []
    for peer in peers:
        try:
            load_peer(peer)
        except UsageProblem as problem:
            left_out.append(f"{peer} is left out: {problem}")
        else:
            installed.append(peer)
    return installed, left_out


def _training_notes(models: PageModels, judgements: Sequence[Judgement]) -> list[str]:
    """Return a note for each figure that is too good because the model was trained on its pages."""
    both = models.training_corpora() & {
        one.page.corpus for one in judgements if TEMPL in one.seconds
    }
    if not both:
        return []
    trained_on = ", ".join(sorted(both))
    return [f"the page model was trained on {trained_on}, so these are upper bounds; use --folds"]


def _write(path: Path, page: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageProblem(
            f"--html {path}: {error.strerror}; name a file that can be written"
        ) from None
