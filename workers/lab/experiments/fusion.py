"""`templ experiments site-level`: fits the fusion of site and page, and measures its quality."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click
import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.lab.evaluation.report import SEEN_BINS, mean_interval
from templ_core.lab.training.fusion.fit_fusion import LinearModel, fit_fusion
from templ_core.lab.training.fusion.fusion_page import FusionOutcome, FusionPage
from templ_core.lab.training.fusion.judge_fusion import (
    PageGroup,
    SiteChange,
    by_corpus,
    by_site,
    calibrations,
    confidence_of,
    decide_all,
    decide_all_alone,
    decide_all_unfitted,
    fitted_without,
    injected_words,
    site_changes,
)
from templ_core.site_level.fusion.fusion import FUSION_FORMAT, FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from workers.errors import InputProblem
from workers.lab.corpora import corpus_name
from workers.lab.evaluation.page_models import models_of_folds
from workers.lab.evaluation.peers import load_peer, peer_version
from workers.lab.experiments.fusion_pages import Simulation, read_fusion_pages
from workers.lab.experiments.injected_pages import SHARES, TAUGHT_PAGES
from workers.lab.experiments.results import Cell, Report
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
    help="Change all ids and classes of a site after this many of its pages; 0 = never.",
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
        peers=tuple(peers),
        injections=injections,
        pages_per_release=pages_per_release,
        uses_trees=uses_trees,
    )
    page_models = models_of_folds(folds)
    read = read_fusion_pages(corpora, page_models, simulation, _progress, jobs)
    pages = [page for page in read if page.injected is None]
    injected = [page for page in read if page.injected is not None]
    if len({by_site(page) for page in pages if page.known.documents}) < 2:
        raise InputProblem(
            "too few sites with gold: at least two are needed that were left out of the training "
            "of different page models"
        )
    judged = _Judged(config, names := list(dict.fromkeys(page.corpus for page in pages)), pages)
    report = Report(out)
    alone = decide_all_alone(pages, config)
    models = fitted_without(read, INPUTS, by_site, config)
    fused = decide_all(pages, models, by_site, config)
    rows = [
        judged.row("page level alone", alone),
        judged.row("places only, not fitted", decide_all_unfitted(pages, config)),
        judged.row("sites left out", fused),
    ]
    if len(names) > 1:
        rows.append(judged.row("corpora left out", judged.refitted(read, INPUTS, by_corpus)))
    for name in peers:
        outcomes = [page.peers[name] for page in pages]
        rows.append(judged.row(f"{name} {peer_version(name)}", outcomes))
    report.table("Word F1 / template F1", ["", *names], rows)
    if listings:
        again = msgspec.structs.replace(simulation, seen_before=True, peers=(), injections=0)
        some = read_fusion_pages(listings, page_models, again, _progress, jobs)
        _report_listings(report, [*pages, *some], models, config)
    report.table(
        "Injected words left on pages after the first five that had the text, sites left out",
        ["what changes", *(f"{share:.0%}" for share in SHARES)],
        _left_rows(injected, models, config),
        4,
    )
    report.table(
        "Confidence of known sites, sites left out",
        ["", "pages", "mean error", "confidence minus F1", "pages below 0.5 in the lowest tenth"],
        [
            [name, sum(some.pages for some in one.bins), one.mean_error, one.bias, one.low_found]
            for name, one in calibrations(pages, fused).items()
        ],
    )
    judged.report_bins(report, alone, fused)
    _report_sites(report, site_changes(pages, alone, fused, seed), fused)
    if ablation:
        rows = []
        for reason in dict.fromkeys(one.reason for one in FUSION_INPUTS.values()):
            inputs = [name for name in INPUTS if FUSION_INPUTS[name].reason != reason]
            rows.append(judged.row(f"without {reason}", judged.refitted(read, inputs, by_site)))
        report.table("Without one sort of evidence, sites left out", ["", *names], rows)
    fitted = fit_fusion(read, INPUTS, config)
    report.table(
        "Weights, fitted to all pages",
        ["input", "weight", "from", "to"],
        [
            [name, one.weight, f"{one.low:.2f}", f"{one.high:.2f}"]
            for name, one in fitted.terms.items()
        ],
    )
    if model_file is not None:
        fusion = FusionModel(
            format=FUSION_FORMAT,
            terms=fitted.terms,
            bias=fitted.bias,
            confidence=confidence_of(pages, fused),
            page_model=page_model,
            corpora={corpus_name(path): file_digest(path) for path in corpora},
            quality={name: round(judged.mean_f1(fused, name), 4) for name in names},
        )
        write_file(model_file, msgspec.json.format(msgspec.json.encode(fusion)) + b"\n")


def _progress(done: str) -> None:
    click.echo(done, err=True)


_Outcomes = Sequence[FusionOutcome]


class _Judged(NamedTuple):
    """The pages that all ways to decide are judged on, by the names of their corpora."""

    config: CoreConfig
    names: Sequence[str]
    pages: Sequence[FusionPage]

    def mean_f1(self, outcomes: _Outcomes, name: str) -> float:
        """Return the mean word F1 of the pages of a corpus."""
        return float(np.mean([one.f1 for _, one in self._of_corpus(outcomes, name)]))

    def row(self, label: str, outcomes: _Outcomes) -> list[str]:
        """Return the word F1 and the template F1 of each corpus."""
        cells = []
        for name in self.names:
            template = [
                one.template_f1
                for _, one in self._of_corpus(outcomes, name)
                if one.template_f1 is not None
            ]
            second = f" / {np.mean(template):.4f}" if template else ""
            cells.append(f"{self.mean_f1(outcomes, name):.4f}{second}")
        return [label, *cells]

    def refitted(
        self, read: Sequence[FusionPage], inputs: Sequence[str], group: PageGroup
    ) -> list[FusionOutcome]:
        """Return the outcomes by models of some inputs, fitted to all that was read but a page's group."""
        models = fitted_without(read, inputs, group, self.config)
        return decide_all(self.pages, models, group, self.config)

    def report_bins(self, report: Report, alone: _Outcomes, fused: _Outcomes) -> None:
        """Report the word F1 by how many pages of a site had arrived."""
        last = [one for _, one in SEEN_BINS]
        rows = []
        for name in self.names:
            bins: list[list[tuple[float, float]]] = [[] for _ in last]
            both = zip(self._of_corpus(alone, name), self._of_corpus(fused, name), strict=True)
            for (page, one), (_, other) in both:
                bins[bisect_left(last, page.seen)].append((one.f1, other.f1))
            means = [np.mean(some, axis=0) if some else None for some in bins]
            cells = ["" if one is None else f"{one[1]:.4f} ({one[0]:.4f})" for one in means]
            rows.append([name, *cells])
        header = ["", *(label for label, _ in SEEN_BINS)]
        report.table("Word F1 by pages of the site so far (page level alone)", header, rows)

    def _of_corpus(self, outcomes: _Outcomes, name: str) -> list[tuple[FusionPage, FusionOutcome]]:
        pairs = zip(self.pages, outcomes, strict=True)
        return [(page, one) for page, one in pairs if page.corpus == name]


def _report_listings(
    report: Report,
    pages: Sequence[FusionPage],
    models: dict[int | str, LinearModel],
    config: CoreConfig,
) -> None:
    """Report pages that list others, by corpus and page type."""
    by_page_type: defaultdict[tuple[str, str], list[FusionPage]] = defaultdict(list)
    for page in pages:
        if page.page_type in _LISTINGS and page.known.documents:
            by_page_type[page.corpus, page.page_type].append(page)
    rows: list[list[Cell]] = []
    for (corpus, page_type), some in by_page_type.items():
        alone = [one.f1 for one in decide_all_alone(some, config)]
        fused = decide_all(some, models, by_site, config)
        gains = [one.f1 - before for before, one in zip(alone, fused, strict=True)]
        interval = mean_interval(gains, 0)
        rows.append(
            [
                f"{corpus} {page_type}",
                len(some),
                fmean(alone),
                fmean(one.f1 for one in fused),
                f"{interval.low:+.4f} to {interval.high:+.4f}",
                f"{fmean(one.empty for one in fused):.2%}",
            ]
        )
    head = ["", "pages", "page level", "fused", "difference", "empty"]
    report.table("Listings of sites that are known", head, rows, 4)


def _left_rows(
    injected: Sequence[FusionPage], models: dict[int | str, LinearModel], config: CoreConfig
) -> list[list[Cell]]:
    """Return the share of injected words that is left, a row for each kind of text."""
    left: defaultdict[tuple[str, float], float] = defaultdict(float)
    whole: defaultdict[tuple[str, float], float] = defaultdict(float)
    for page, kept, all_words in injected_words(injected, models, config):
        if page.taught >= TAUGHT_PAGES:
            left[page.kind, page.share] += kept
            whole[page.kind, page.share] += all_words
    return [
        [
            kind or "nothing",
            *(
                left[kind, share] / whole[kind, share] if (kind, share) in whole else None
                for share in SHARES
            ),
        ]
        for kind in sorted({kind for kind, _ in whole})
    ]


def _report_sites(report: Report, changes: Sequence[SiteChange], fused: _Outcomes) -> None:
    report.table(
        "Sites, the largest loss first (paired bootstrap, 95 %)",
        ["", "pages", "page level", "fused", "difference", "from", "to"],
        [
            [
                f"{one.corpus} {one.site}",
                one.pages,
                one.alone,
                one.fused,
                f"{one.fused - one.alone:+.4f}",
                f"{one.interval.low:+.4f}",
                f"{one.interval.high:+.4f}",
            ]
            for one in changes
        ],
        4,
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
