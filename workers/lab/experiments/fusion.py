"""`templ experiments site-level`: fits the fusion of site and page, and measures its quality."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.lab.evaluation.report import SEEN_BINS, mean_interval
from templ_core.lab.training.fusion.fit_fusion import LinearModel, fit_fusion
from templ_core.lab.training.fusion.fusion_page import FusionOutcome, FusionPage
from templ_core.lab.training.fusion.judge_fusion import (
    PageGroup,
    by_corpus,
    by_site,
    confidence_of,
    decide_all,
    decide_all_alone,
    decide_all_unfitted,
    fitted_without,
    injected_words,
    site_changes,
)
from templ_core.page_level.model.confidence import Confidence
from templ_core.site_level.fusion.fusion import FUSION_FORMAT, FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from workers.errors import InputProblem
from workers.lab.corpora import corpus_name
from workers.lab.evaluation.peers import load_peer, peer_version
from workers.lab.experiments.fusion_pages import FoldModels, Simulation, read_fusion_pages
from workers.lab.experiments.injected_pages import SHARES, TAUGHT_PAGES
from workers.lab.experiments.results import Report
from workers.lab.options import (
    DIRECTORY,
    FILE,
    PATH,
    corpora_argument,
    jobs_option,
    option,
    out_option,
    peers_option,
    seed_option,
)
from workers.lab.training_pages import file_digest, write_file

_KIB = 1 << 10
_PAGES_TO_JUDGE_A_SITE = 20
_LOSS = 0.01
_LISTINGS = ("listing", "collection")
INPUTS = tuple(FUSION_INPUTS)


@click.command(short_help="Fit and evaluate the fusion of site and page.")
@corpora_argument
@click.option(
    "--folds",
    type=DIRECTORY,
    required=True,
    help="Directory of `templ train --folds`: page models that were trained without some sites.",
)
@click.option(
    "--page-model",
    default="",
    help="Version of the page model for which the fusion is fitted; it is recorded in the file.",
)
@click.option(
    "--model", "model_file", type=FILE, help="File to write the fusion to, fitted to all pages."
)
@click.option(
    "--size-kib",
    "sizes_kib",
    multiple=True,
    type=click.IntRange(min=1),
    help="Also evaluate with site models of at most this many KiB; may be repeated.",
)
@click.option(
    "--after-each-page",
    is_flag=True,
    help="Also evaluate with site models that are fitted again after each page.",
)
@peers_option
@click.option(
    "--listings",
    multiple=True,
    type=PATH,
    help="Corpus whose listings and collections are scored, each as a page that its site has "
    "shown before; may be repeated.",
)
@option(
    "--ablation/--no-ablation",
    default=True,
    help="Also evaluate without each sort of evidence in turn.",
)
@option(
    "--injections",
    type=click.IntRange(min=0),
    default=2,
    help="How many times each site is taken once more with a text that its pages repeat.",
)
@click.option(
    "--pages-per-release",
    type=click.IntRange(min=0),
    default=0,
    help="Generate all ids and classes of a site anew after so many of its pages; 0 = never.",
)
@option(
    "--trees/--no-trees",
    "uses_trees",
    default=True,
    help="Whether the tree templates tell places whose names a site does not know.",
)
@jobs_option
@seed_option("Seed of the bootstrap.")
@out_option
def site_level(
    corpora: Sequence[Path],
    *,
    folds: Path,
    page_model: str,
    model_file: Path | None,
    sizes_kib: Sequence[int],
    after_each_page: bool,
    peers: Sequence[str],
    listings: Sequence[Path],
    ablation: bool,
    injections: int,
    pages_per_release: int,
    uses_trees: bool,
    jobs: int,
    seed: int,
    out: Path | None,
) -> None:
    """Fit the fusion of site and page evidence on CORPORA, and evaluate it on unseen sites.

    Pages are taken in order of arrival. Each is decided with what the pages before it have taught
    about the site, and by page models that were trained without the site. Figures are word F1 and,
    where the gold names elements, the F1 of the removed words against the template; both are means
    over pages. CORPORA need gold text. The weights of strings are fitted to pages with injected text, too,
    and of that the share that is left is reported.
    """
    for name in peers:
        load_peer(name)
    config = CoreConfig()
    simulation = Simulation(
        config=config,
        limits_bytes=(config.site_model_bytes, *(size * _KIB for size in sizes_kib)),
        after_each_page=after_each_page,
        peers=tuple(peers),
        injections=injections,
        pages_per_release=pages_per_release,
        uses_trees=uses_trees,
    )
    page_models = FoldModels(folds)
    read = read_fusion_pages(corpora, page_models, simulation, _progress, jobs)
    pages = [page for page in read if page.injected is None]
    injected = [page for page in read if page.injected is not None]
    if len({by_site(page) for page in pages if page.known}) < 2:
        raise InputProblem(
            "too few sites with gold: at least two are needed that were left out of the training "
            "of different page models"
        )
    report = Report(out)
    names = list(dict.fromkeys(page.corpus for page in pages))
    alone = decide_all_alone(pages, config)
    models = fitted_without(read, INPUTS, by_site, config)
    fused = decide_all(pages, models, by_site, config)
    rows = [
        _row("page level alone", pages, alone, names),
        _row("places only, not fitted", pages, decide_all_unfitted(pages, config), names),
        _row("sites left out", pages, fused, names),
    ]
    if len(names) > 1:
        rows.append(
            _row("corpora left out", pages, _judged(pages, read, INPUTS, by_corpus, config), names)
        )
    ways = [f"site models of {size} KiB" for size in sizes_kib]
    for way, label in enumerate([*ways, *["learned after each page"][: int(after_each_page)]], 1):
        rows.append(_row(label, pages, decide_all(pages, models, by_site, config, way), names))
    for name in peers:
        label = f"{name} {peer_version(name)}"
        rows.append(_row(label, pages, [page.peers[name] for page in pages], names))
    report.table("Word F1 / template F1", ["", *names], rows)
    if listings:
        again = msgspec.structs.replace(simulation, seen_before=True, peers=(), injections=0)
        some = read_fusion_pages(listings, page_models, again, _progress, jobs)
        _report_listings(report, [*pages, *some], models, config)
    report.table(
        "Injected words left on pages after the first five that had the text, sites left out",
        ["what changes", *(f"{share:.0%}" for share in SHARES)],
        _left_rows(injected, models, config),
    )
    _report_bins(report, pages, alone, fused, names)
    _report_sites(report, pages, alone, fused, seed)
    if ablation:
        _report_ablation(report, pages, read, names, config)
    fitted = fit_fusion(read, INPUTS, config)
    _report_weights(report, fitted)
    if model_file is not None:
        quality = {name: round(_mean_f1(pages, fused, name), 4) for name in names}
        confidence = confidence_of(pages, fused)
        fusion = _file_of(fitted, confidence, page_model, corpora, quality)
        write_file(model_file, msgspec.json.format(msgspec.json.encode(fusion)) + b"\n")


def _report_weights(report: Report, fitted: LinearModel) -> None:
    report.table(
        "Weights, fitted to all pages",
        ["input", "weight", "from", "to"],
        [
            [name, f"{one.weight:.3f}", f"{one.low:.2f}", f"{one.high:.2f}"]
            for name, one in fitted.terms.items()
        ],
    )


def _file_of(
    fitted: LinearModel,
    confidence: Confidence,
    page_model: str,
    corpora: Sequence[Path],
    quality: dict[str, float],
) -> FusionModel:
    return FusionModel(
        format=FUSION_FORMAT,
        terms=fitted.terms,
        bias=fitted.bias,
        confidence=confidence,
        page_model=page_model,
        corpora={corpus_name(path): file_digest(path) for path in corpora},
        quality=quality,
    )


def _progress(done: str) -> None:
    click.echo(done, err=True)


def _report_listings(
    report: Report,
    pages: Sequence[FusionPage],
    models: dict[int | str, LinearModel],
    config: CoreConfig,
) -> None:
    """Report pages that list others, by corpus and page type."""
    by_page_type: dict[tuple[str, str], list[FusionPage]] = {}
    for page in pages:
        if page.page_type in _LISTINGS and page.known:
            by_page_type.setdefault((page.corpus, page.page_type), []).append(page)
    rows = []
    for (corpus, page_type), some in by_page_type.items():
        alone = decide_all_alone(some, config)
        fused = decide_all(some, models, by_site, config)
        interval = mean_interval([b.f1 - a.f1 for a, b in zip(alone, fused, strict=True)], 0)
        rows.append(
            [
                f"{corpus} {page_type}",
                str(len(some)),
                *(f"{np.mean([one.f1 for one in outcomes]):.4f}" for outcomes in (alone, fused)),
                f"{interval.low:+.4f} to {interval.high:+.4f}",
                f"{np.mean([one.empty for one in fused]):.2%}",
            ]
        )
    head = ["", "pages", "page level", "fused", "difference", "empty"]
    report.table("Listings of sites that are known", head, rows)


def _judged(
    pages: Sequence[FusionPage],
    read: Sequence[FusionPage],
    inputs: Sequence[str],
    group: PageGroup,
    config: CoreConfig,
) -> list[FusionOutcome]:
    """Return the scores of pages with models that were fitted to all that was read but their groups."""
    return decide_all(pages, fitted_without(read, inputs, group, config), group, config)


def _left_rows(
    injected: Sequence[FusionPage], models: dict[int | str, LinearModel], config: CoreConfig
) -> list[list[str]]:
    """Return the share of injected words that is left, a row for each kind of text."""
    left: dict[tuple[str, float], tuple[float, float]] = {}
    for page, kept, all_words in injected_words(injected, models, config):
        if page.taught >= TAUGHT_PAGES:
            some = left.get((page.kind, page.share), (0.0, 0.0))
            left[page.kind, page.share] = (some[0] + kept, some[1] + all_words)
    rows = []
    for kind in dict.fromkeys(kind for kind, _ in sorted(left)):
        cells = [left.get((kind, share)) for share in SHARES]
        rows.append(
            [kind or "nothing", *(f"{one[0] / one[1]:.4f}" if one else "" for one in cells)]
        )
    return rows


def _row(
    label: str, pages: Sequence[FusionPage], outcomes: Sequence[FusionOutcome], names: Sequence[str]
) -> list[str]:
    cells = []
    for name in names:
        template = [
            one.template_f1
            for page, one in zip(pages, outcomes, strict=True)
            if page.corpus == name and one.template_f1 is not None
        ]
        second = f" / {np.mean(template):.4f}" if template else ""
        cells.append(f"{_mean_f1(pages, outcomes, name):.4f}{second}")
    return [label, *cells]


def _mean_f1(pages: Sequence[FusionPage], outcomes: Sequence[FusionOutcome], name: str) -> float:
    return float(
        np.mean([one.f1 for page, one in zip(pages, outcomes, strict=True) if page.corpus == name])
    )


def _report_bins(
    report: Report,
    pages: Sequence[FusionPage],
    alone: Sequence[FusionOutcome],
    fused: Sequence[FusionOutcome],
    names: Sequence[str],
) -> None:
    labels = [name for name, _ in SEEN_BINS]
    number = np.searchsorted([last for _, last in SEEN_BINS], [page.seen for page in pages])
    rows = []
    for name in names:
        cells = []
        for place in range(len(SEEN_BINS)):
            some = [
                (one.f1, other.f1)
                for page, one, other, of in zip(pages, alone, fused, number.tolist(), strict=True)
                if page.corpus == name and of == place
            ]
            both = np.mean(some, axis=0) if some else None
            cells.append("" if both is None else f"{both[1]:.4f} ({both[0]:.4f})")
        rows.append([name, *cells])
    report.table("Word F1 by pages of the site so far (page level alone)", ["", *labels], rows)


def _report_sites(
    report: Report,
    pages: Sequence[FusionPage],
    alone: Sequence[FusionOutcome],
    fused: Sequence[FusionOutcome],
    seed: int,
) -> None:
    changes = site_changes(pages, alone, fused, seed)
    report.table(
        "Sites, the largest loss first (paired bootstrap, 95 %)",
        ["", "pages", "page level", "fused", "difference", "from", "to"],
        [
            [
                f"{one.corpus} {one.site}",
                str(one.pages),
                f"{one.alone:.4f}",
                f"{one.fused:.4f}",
                f"{one.fused - one.alone:+.4f}",
                f"{one.interval.low:+.4f}",
                f"{one.interval.high:+.4f}",
            ]
            for one in changes
        ],
    )
    losing = [
        one
        for one in changes
        if one.pages >= _PAGES_TO_JUDGE_A_SITE and one.fused - one.alone < -_LOSS
    ]
    sure = [one for one in losing if one.interval.high < -_LOSS]
    report.say(
        f"{len(losing)} sites with at least {_PAGES_TO_JUDGE_A_SITE} pages lose more than {_LOSS}, "
        f"{len(sure)} of them with 95 % confidence; {sum(one.empty for one in fused)} pages are empty."
    )


def _report_ablation(
    report: Report,
    pages: Sequence[FusionPage],
    read: Sequence[FusionPage],
    names: Sequence[str],
    config: CoreConfig,
) -> None:
    rows = []
    for reason in dict.fromkeys(one.reason for one in FUSION_INPUTS.values()):
        inputs = [name for name in INPUTS if FUSION_INPUTS[name].reason != reason]
        outcomes = _judged(pages, read, inputs, by_site, config)
        rows.append(_row(f"without {reason}", pages, outcomes, names))
    report.table("Without one sort of evidence, sites left out", ["", *names], rows)
