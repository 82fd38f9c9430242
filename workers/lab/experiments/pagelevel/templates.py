"""`templ experiments pagelevel-templates`: table 1 and figure 2 of Chakrabarti et al. (WWW 2007)."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import click
import msgspec
import numpy as np

from templ_core.lab.evaluation.bootstrap import bootstrap
from templ_core.lab.evaluation.line_chart import line_chart
from templ_core.lab.evaluation.template_f import Overlap, template_f
from templ_core.lab.papers.pagelevel.node_smoothing import PENALTIES, PENALTY_FACTOR
from templ_core.lab.papers.pagelevel.spread_smoothing import smooth_spread_on_grid
from templ_core.lab.papers.pagelevel.variants import Variant, basic, basic_merge, smooth
from templ_core.lab.training.labels.gold_labels import GoldSelectors, Labels, selected_labels
from workers.errors import InputProblem
from workers.lab.experiments.corpora.gold_pages import (
    ScoredPage,
    markup_of,
    read_classifier,
    records,
    score_record,
)
from workers.lab.experiments.results import Report, out_option

DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
FACTORS = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
KINDS = {"text": "Text", "anchor_text": "AT", "links": "Links"}
PLACES = {"in_templates": "in templates", "in_content": "in content"}
PAPER = {
    "basic": {"text": 0.63, "anchor_text": 0.71, "links": 0.75},
    "smooth": {"text": 0.66, "anchor_text": 0.73, "links": 0.77},
}
"""Table 1, RANDOM."""

Choice = Callable[[ScoredPage], Variant]
SiteFs = dict[tuple[str, str], np.ndarray]


class LabelledPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with its gold."""

    page: ScoredPage
    labels: Labels


@click.command()
@click.argument("classifier", type=click.Path(path_type=Path))
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pages-per-site", default=20, show_default=True, help="The first ones with gold.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap over sites.")
@out_option
def pagelevel_templates(
    classifier: Path, corpora: Sequence[Path], pages_per_site: int, seed: int, out: Path | None
) -> None:
    """F-measure of what stands in templates, and in content: basic, basic + merge, smooth.

    CORPORA: JSON Lines with `html`, `site` and `gold_selector`. Amounts are summed over the pages of
    a site; figures are means over sites with 95 % intervals of the bootstrap over sites. The merge
    gets the delta whose f in templates, mean of the three kinds, is best on these very pages. The talk's smoothing has the objective of its slides.
    """
    model = read_classifier(classifier)
    pages = [
        labelled
        for record in records(corpora, "gold_selector", pages_per_site)
        if (page := score_record(record, model)) and (labelled := _labelled(page))
    ]
    if not pages:
        raise InputProblem("no page has a `gold_selector` that names its content")
    report = Report(out)
    sites = len({one.page.record["site"] for one in pages})
    report.say(f"{len(pages)} pages of {sites} sites")
    _table(report, pages, seed)
    _figure(report, pages)


def _labelled(page: ScoredPage) -> LabelledPage | None:
    record = page.record
    gold = GoldSelectors.of(record)
    labels = selected_labels(page.document, markup_of(record), gold) if gold else None
    if labels is None or not labels.content.any():
        return None
    return LabelledPage(page=page, labels=labels)


def _table(report: Report, pages: Sequence[LabelledPage], seed: int) -> None:
    merges = {delta: site_f(pages, _merging(delta)) for delta in DELTAS}
    best = max(merges, key=lambda delta: _in_templates(merges[delta]))
    variants = {
        "all is template": site_f(pages, lambda page: basic(np.ones(len(page.words)))),
        "basic": site_f(pages, lambda page: basic(page.templateness)),
        f"basic + merge, delta {best:g}": merges[best],
        "smooth": site_f(pages, _smoothing(PENALTY_FACTOR)),
        "smooth, the talk's": site_f(pages, _talk),
    }
    rows = []
    for place, kind in variants["smooth"]:
        row = [f"{KINDS[kind]} {PLACES[place]}"]
        for name, fs in variants.items():
            paper = PAPER.get(name, {}).get(kind) if place == "in_templates" else None
            row.append(_figures(fs[place, kind], seed) + (f" (paper {paper})" if paper else ""))
        names = list(variants)
        for one, other in pairwise(names[1:]):
            row.append(_figures(variants[other][place, kind] - variants[one][place, kind], seed))
        rows.append(row)
    header = ["f", *variants, "merge - basic", "smooth - merge", "talk's - smooth"]
    report.table("table 1: f-measure", header, rows)


def _in_templates(fs: SiteFs) -> float:
    return float(np.mean([np.nanmean(fs["in_templates", kind]) for kind in KINDS]))


def _figure(report: Report, pages: Sequence[LabelledPage]) -> None:
    by_factor = {factor: site_f(pages, _smoothing(factor * PENALTY_FACTOR)) for factor in FACTORS}
    report.figure(
        "figure-2",
        line_chart(
            "f in templates against the penalty",
            "factor multiplied into the penalty 0.01 A / A_i",
            "f",
            {
                name: [
                    (factor, float(np.nanmean(fs["in_templates", kind])))
                    for factor, fs in by_factor.items()
                ]
                for kind, name in KINDS.items()
            },
        ),
    )
    rows = []
    for penalty in PENALTIES:
        for factor in FACTORS:
            fs = site_f(pages, _smoothing(factor * PENALTY_FACTOR, penalty))
            means = [f"{np.nanmean(fs['in_templates', kind]):.3f}" for kind in KINDS]
            rows.append([penalty, f"{factor * PENALTY_FACTOR:g}", *means])
    report.table("figure 2: f in templates by penalty", ["penalty", "c", *KINDS.values()], rows)


def _merging(delta: float) -> Choice:
    return lambda page: basic_merge(page.templateness, page.words, delta)


def _smoothing(factor: float, kind: str = "area") -> Choice:
    return lambda page: smooth(
        page.features, page.document.segments.owner, page.block_templateness, factor, kind
    )


def _talk(page: ScoredPage) -> Variant:
    return smooth(
        page.features,
        page.document.segments.owner,
        page.block_templateness,
        smoother=smooth_spread_on_grid,
    )


def site_f(pages: Sequence[LabelledPage], choice: Choice) -> SiteFs:
    """The f of each site by place and kind; NaN where a site's gold has none of it."""
    sums: dict[tuple[str, str], defaultdict[str, list[Overlap]]] = {
        (place, kind): defaultdict(list) for place in PLACES for kind in KINDS
    }
    for one in pages:
        page, labels = one.page, one.labels
        found = template_f(
            page.document, page.words, choice(page).kept, labels.content, labels.counts
        )
        for (place, kind), by_site in sums.items():
            by_site[page.record["site"]].append(getattr(getattr(found, place), kind))
    return {
        key: np.array([_f(some) for _, some in sorted(by_site.items())])
        for key, by_site in sums.items()
    }


def _f(some: Sequence[Overlap]) -> float:
    total = Overlap(
        both=sum(one.both for one in some),
        found=sum(one.found for one in some),
        wanted=sum(one.wanted for one in some),
    )
    return float("nan") if total.f is None else total.f


def _figures(values: np.ndarray, seed: int) -> str:
    scored = values[~np.isnan(values)]
    mean = bootstrap(scored.tolist(), [str(number) for number in range(len(scored))], seed)
    if mean.sites_interval is None:
        return f"{mean.of_sites:.3f}"
    interval = mean.sites_interval
    return f"{mean.of_sites:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
