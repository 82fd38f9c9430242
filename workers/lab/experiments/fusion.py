"""`templ experiments site-level`: fits the fusion of site and page, and measures its quality."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click
import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.lab.evaluation.report import SEEN_BINS, mean_interval
from templ_core.lab.evaluation.rows import RowCounts
from templ_core.lab.training import fusion as fitting
from templ_core.site_level.fusion.fusion import FUSION_FORMAT, FusionModel
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import (
    corpus_name,
    file_digest,
    write_file,
)
from workers.lab.evaluation.page_models import models_of_folds
from workers.lab.evaluation.peers import load_peer, peer_option, peer_version
from workers.lab.experiments.fusion_pages import Simulation, read_fusion_pages
from workers.lab.experiments.injected_pages import SHARES

_PAGES_TO_JUDGE_A_SITE = 20
_LOSS = 0.01
_HARMS = (0.02, 0.005)
"""Losses of word F1 from which a site counts as harmed, the largest first."""
_LISTINGS = ("listing", "collection")
INPUTS = tuple(FUSION_INPUTS)


@lab.command("Fit and evaluate the fusion of site and page.")
@lab.corpora
@lab.folds(
    "Directory of `templ train --folds`: page models that were trained without some sites.",
    required=True,
)
@click.option(
    "--page-model",
    default="",
    help="Version of the page model for which the fusion is fitted; it is recorded in the file.",
)
@click.option(
    "--model", "model_file", type=lab.FILE, help="File to write the fusion to, fitted to all pages."
)
@peer_option
@lab.several_corpora(
    "--listings",
    "Corpus whose listings and collections are scored, each as a page that its site has "
    "shown before; may be repeated.",
)
@lab.option(
    "--ablation/--no-ablation",
    default=True,
    help="Also evaluate without each sort of evidence in turn.",
)
@lab.option(
    "--injections",
    type=click.IntRange(min=0),
    default=3,
    help="How many times each site is taken once more, in another order, with texts that its pages repeat.",
)
@click.option(
    "--pages-per-site",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take only the first N pages of each site.  [default: all]",
)
@click.option(
    "--pages-per-release",
    type=click.IntRange(min=0),
    default=0,
    help="Change all ids and classes of a site after this many of its pages; 0 = never.",
)
@lab.option(
    "--trees/--no-trees",
    "uses_trees",
    default=True,
    help="Whether the tree templates give places whose names a site does not know.",
)
@lab.jobs
@lab.seed("Seed of the bootstrap.")
def site_level(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    folds: Path,
    page_model: str,
    model_file: Path | None,
    peers: Sequence[str],
    listings: Sequence[Path],
    ablation: bool,
    injections: int,
    pages_per_site: int | None,
    pages_per_release: int,
    uses_trees: bool,
    jobs: int,
    seed: int,
) -> None:
    """Fit the fusion of site and page evidence on CORPORA, and evaluate it on unseen sites.

    Pages are taken in order of arrival. Each is decided with what the pages before it have taught
    about the site (page by page), with what all pages of the site have taught (two-pass), and by page
    models that were trained without the site. Figures are word F1 and,
    where the gold names elements, the F1 of the removed words against the template; both are means
    over pages. A headline that the gold lacks, and sentences that the gold of a site repeats, count
    neither way, as in `templ evaluate`. Where the gold names elements, the shares of its rows of label and
    value that are kept whole and in part are reported, too. CORPORA need gold text. The weights of strings are
    fitted to pages with injected text, too, and of that the share that is left is reported.
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
        two_passes=True,
        pages_per_site=pages_per_site,
    )
    page_models = models_of_folds(folds)
    read = read_fusion_pages(corpora, page_models, simulation, jobs)
    pages = [page for page in read if page.injected is None and not page.whole_site]
    whole = [page for page in read if page.whole_site]
    injected = [page for page in read if page.injected is not None]
    if len({fitting.by_site(page) for page in pages if page.known.documents}) < 2:
        raise InputProblem(
            "too few sites with gold: at least two are needed that were left out of the training "
            "of different page models"
        )
    judged = _Judged(config, names := list(dict.fromkeys(page.corpus for page in pages)), pages)
    alone = fitting.decide_all_alone(pages, config)
    models = fitting.fitted_without(read, INPUTS, fitting.by_site, config)
    fused = fitting.decide_all(pages, models, fitting.by_site, config)
    ways = {
        "page level alone": alone,
        "page by page, sites left out": fused,
        "two-pass, sites left out": fitting.decide_all(whole, models, fitting.by_site, config),
    }
    rows = [judged.row(name, outcomes) for name, outcomes in ways.items()]
    rows.append(judged.row("places only, not fitted", fitting.decide_all_unfitted(pages, config)))
    if len(names) > 1:
        by_corpus = judged.refitted(read, INPUTS, fitting.by_corpus)
        rows.append(judged.row("page by page, corpora left out", by_corpus))
    for name in peers:
        outcomes = [page.peers[name] for page in pages]
        rows.append(judged.row(f"{name} {peer_version(name)}", outcomes))
    report.table("Word F1 / template F1", ["", *names], rows)
    judged.report_ways(report, ways)
    if listings:
        again = msgspec.structs.replace(
            simulation, seen_before=True, peers=(), injections=0, two_passes=False
        )
        some = read_fusion_pages(listings, page_models, again, jobs)
        _report_listings(report, [*pages, *some], models, config)
    _report_left(report, injected, models, config)
    _report_confidence(report, pages, fused)
    judged.report_bins(report, alone, fused)
    _report_sites(report, judged, ways, seed)
    if ablation:
        judged.report_ablation(report, read)
    fitted = fitting.fit_fusion(read, INPUTS, config)
    _report_weights(report, fitted)
    if model_file is not None:
        fusion = FusionModel(
            format=FUSION_FORMAT,
            terms=fitted.terms,
            bias=fitted.bias,
            confidence=fitting.confidence_of(pages, fused),
            page_model=page_model,
            corpora={corpus_name(path): file_digest(path) for path in corpora},
            quality={name: round(judged.mean_f1(fused, name), 4) for name in names},
        )
        write_file(model_file, msgspec.json.format(msgspec.json.encode(fusion)) + b"\n")


_Outcomes = Sequence[fitting.FusionOutcome]


class _Judged(NamedTuple):
    """The pages that all ways to decide are judged on, by the names of their corpora."""

    config: CoreConfig
    names: Sequence[str]
    pages: Sequence[fitting.FusionPage]

    def mean_f1(self, outcomes: _Outcomes, name: str) -> float:
        return float(np.mean([one.f1 for _, one in self._of_corpus(outcomes, name)]))

    def row(self, label: str, outcomes: _Outcomes) -> list[str]:
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

    def report_ways(self, report: lab.Report, ways: Mapping[str, _Outcomes]) -> None:
        """Report precision and rows of the page alone, page by page and two-pass, and the sites that are harmed."""
        rows: list[list[lab.Cell]] = []
        for label, outcomes in ways.items():
            of_each = (self._of_corpus(outcomes, name) for name in self.names)
            rows.append([label, *(fmean(one.precision for _, one in some) for some in of_each)])
        report.table("Word precision", ["", *self.names], rows, 4)
        self._report_rows(report, ways)
        self._report_harm(report, *ways.values())

    def _report_rows(self, report: lab.Report, ways: Mapping[str, _Outcomes]) -> None:
        """Report how many label-value rows the gold has, and the shares that are kept whole and in part."""
        counts: list[lab.Cell] = []
        rows: list[list[lab.Cell]] = [["rows of the gold"]]
        for label, outcomes in ways.items():
            each = ([one.rows for _, one in self._of_corpus(outcomes, name)] for name in self.names)
            summed = [RowCounts(*map(sum, zip(*some, strict=True))) for some in each]
            counts = [sum(one) for one in summed]
            shares = [
                f"{one.whole / sum(one):.3f} / {one.in_part / sum(one):.3f}" if sum(one) else None
                for one in summed
            ]
            rows.append([label, *shares])
        rows[0] += counts
        report.table("Label-value rows: kept whole / in part", ["", *self.names], rows)

    def refitted(
        self, read: Sequence[fitting.FusionPage], inputs: Sequence[str], group: fitting.PageGroup
    ) -> list[fitting.FusionOutcome]:
        """Return the outcomes by models of some inputs, fitted to all that was read but a page's group."""
        models = fitting.fitted_without(read, inputs, group, self.config)
        return fitting.decide_all(self.pages, models, group, self.config)

    def _report_harm(
        self, report: lab.Report, alone: _Outcomes, fused: _Outcomes, two_pass: _Outcomes
    ) -> None:
        later = fitting.of_second_halves(self.pages)
        ways = {
            "page by page": self._changes(alone, fused, later),
            "two-pass": self._changes(alone, two_pass, range(len(self.pages))),
        }
        rows: list[list[lab.Cell]] = []
        for name in [*self.names, ""]:
            of_corpus = [
                [one for one in some if name in ("", one.corpus)] for some in ways.values()
            ]
            counts = [
                sum(one.alone - one.fused >= loss for one in some)
                for some in of_corpus
                for loss in _HARMS
            ]
            rows.append([name or "all", len(of_corpus[0]), *counts])
        heads = [f"{way}, by {loss}" for way in ways for loss in _HARMS]
        title = (
            "Sites below the page level alone (page by page: the second half of each site's pages)"
        )
        report.table(title, ["", "sites", *heads], rows)
        harmed: list[list[lab.Cell]] = [
            [f"{one.corpus} {one.site}", way, one.pages, one.alone, one.fused]
            for way, some in ways.items()
            for one in some
            if one.alone - one.fused >= _HARMS[-1]
        ]
        heads = ["", "decided", "pages", "page level", "known"]
        report.table(f"Sites below the page level alone by {_HARMS[-1]}", heads, harmed, 4)

    def _changes(
        self, alone: _Outcomes, known: _Outcomes, used: Sequence[int]
    ) -> list[fitting.SiteChange]:
        return fitting.site_changes(
            [self.pages[at] for at in used],
            [alone[at] for at in used],
            [known[at] for at in used],
            seed=0,
        )

    def report_bins(self, report: lab.Report, alone: _Outcomes, fused: _Outcomes) -> None:
        last = [one for _, one in SEEN_BINS]
        rows = []
        for name in self.names:
            bins: list[list[tuple[float, float]]] = [[] for _ in last]
            both = zip(self._of_corpus(alone, name), self._of_corpus(fused, name), strict=True)
            for (page, before), (_, after) in both:
                bins[bisect_left(last, page.seen)].append((before.f1, after.f1))
            means = [np.mean(some, axis=0) if some else None for some in bins]
            cells = ["" if one is None else f"{one[1]:.4f} ({one[0]:.4f})" for one in means]
            rows.append([name, *cells])
        header = ["", *(label for label, _ in SEEN_BINS)]
        report.table("Word F1 by pages of the site so far (page level alone)", header, rows)

    def report_ablation(self, report: lab.Report, read: Sequence[fitting.FusionPage]) -> None:
        rows = []
        for reason in dict.fromkeys(one.reason for one in FUSION_INPUTS.values()):
            inputs = [name for name in INPUTS if FUSION_INPUTS[name].reason != reason]
            rows.append(self.row(f"without {reason}", self.refitted(read, inputs, fitting.by_site)))
        report.table("Without one sort of evidence, sites left out", ["", *self.names], rows)

    def _of_corpus(
        self, outcomes: _Outcomes, name: str
    ) -> list[tuple[fitting.FusionPage, fitting.FusionOutcome]]:
        pairs = zip(self.pages, outcomes, strict=True)
        return [(page, one) for page, one in pairs if page.corpus == name]


def _report_confidence(
    report: lab.Report, pages: Sequence[fitting.FusionPage], outcomes: _Outcomes
) -> None:
    report.table(
        "Confidence of known sites, sites left out",
        ["", "pages", "mean error", "confidence minus F1", "pages below 0.5 in the lowest tenth"],
        [
            [name, sum(some.pages for some in one.bins), one.mean_error, one.bias, one.low_found]
            for name, one in fitting.calibrations(pages, outcomes).items()
        ],
    )


def _report_weights(report: lab.Report, fitted: fitting.LinearModel) -> None:
    report.table(
        "Weights, fitted to all pages",
        ["input", "weight", "from", "to"],
        [
            [name, one.weight, f"{one.low:.2f}", f"{one.high:.2f}"]
            for name, one in fitted.terms.items()
        ],
    )


def _report_listings(
    report: lab.Report,
    pages: Sequence[fitting.FusionPage],
    models: dict[int | str, fitting.LinearModel],
    config: CoreConfig,
) -> None:
    by_page_type: defaultdict[tuple[str, str], list[fitting.FusionPage]] = defaultdict(list)
    for page in pages:
        if page.page_type in _LISTINGS and page.known.documents:
            by_page_type[page.corpus, page.page_type].append(page)
    rows: list[list[lab.Cell]] = []
    for (corpus, page_type), some in by_page_type.items():
        alone = [one.f1 for one in fitting.decide_all_alone(some, config)]
        fused = fitting.decide_all(some, models, fitting.by_site, config)
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


def _report_left(
    report: lab.Report,
    injected: Sequence[fitting.FusionPage],
    models: dict[int | str, fitting.LinearModel],
    config: CoreConfig,
) -> None:
    """Report the share of injected words that is left, a row for each kind of text."""
    left: defaultdict[tuple[str, float], float] = defaultdict(float)
    whole: defaultdict[tuple[str, float], float] = defaultdict(float)
    for page, kept, all_words in fitting.injected_words(injected, models, config):
        if all_words:
            left[page.kind, page.share] += kept
            whole[page.kind, page.share] += all_words
    report.table(
        "Injected words left on pages after the first five that had the text, sites left out, pages shuffled",
        ["what changes", *(f"{share:.0%}" for share in SHARES)],
        [
            [
                kind or "nothing",
                *(
                    left[kind, share] / whole[kind, share] if (kind, share) in whole else None
                    for share in SHARES
                ),
            ]
            for kind in sorted({kind for kind, _ in whole})
        ],
        4,
    )


def _report_sites(
    report: lab.Report, judged: _Judged, ways: Mapping[str, _Outcomes], seed: int
) -> None:
    alone, fused, two_pass = ways.values()
    changes = fitting.site_changes(judged.pages, alone, fused, seed)
    known = {
        (one.corpus, one.site): one.fused
        for one in fitting.site_changes(judged.pages, alone, two_pass, seed)
    }
    report.table(
        "Sites, the largest loss page by page first (paired bootstrap, 95 %)",
        ["", "pages", "page level", "page by page", "difference", "from", "to", "two-pass"],
        [
            [
                f"{one.corpus} {one.site}",
                one.pages,
                one.alone,
                one.fused,
                f"{one.fused - one.alone:+.4f}",
                f"{one.interval.low:+.4f}",
                f"{one.interval.high:+.4f}",
                known[one.corpus, one.site],
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
