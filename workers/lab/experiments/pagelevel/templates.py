"""`templ experiments pagelevel-templates`: table 1, figure 2 of Chakrabarti et al. (WWW 2007)."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click
import msgspec
import numpy as np

from templ_core.lab.evaluation.report import bootstrap
from templ_core.lab.evaluation.template_f import Overlap, template_f
from templ_core.lab.papers.pagelevel.variants import PENALTIES, PENALTY_FACTOR, basic_variant
from templ_core.lab.training.labels.gold_labels import GoldSelectors, Labels, selected_labels
from workers.errors import InputProblem
from workers.inspect.plots import line_chart
from workers.lab.experiments.corpora.scored_pages import (
    ScoredPage,
    read_classifier,
    record_markup,
    records_with,
    score_record,
)
from workers.lab.experiments.pagelevel.page_variants import (
    PENALTY_MULTIPLES,
    PageVariant,
    merging_variant,
    smoothing_variant,
    spread_smoothing_variant,
)
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option

_DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_COUNTED = {"text": "Text", "anchor_text": "AT", "links": "Links"}
_PLACES = {"in_templates": "in templates", "in_content": "in content"}
_PAPER = {
    "basic": {"text": 0.63, "anchor_text": 0.71, "links": 0.75},
    "smooth": {"text": 0.66, "anchor_text": 0.73, "links": 0.77},
}
"""f in templates from the paper's table 1, data set RANDOM."""

SiteFs = dict[tuple[str, str], np.ndarray]


class PageWithLabels(msgspec.Struct, frozen=True, kw_only=True):
    """A page with its gold labels."""

    page: ScoredPage
    labels: Labels


@click.command(short_help="Chakrabarti et al. (2007): f in templates.")
@click.argument("classifier", type=click.Path(path_type=Path))
@corpora_argument
@click.option(
    "--pages-per-site",
    default=20,
    show_default=True,
    help="Number of pages with gold to use of each site.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap over sites.")
@out_option
def pagelevel_templates(
    classifier: Path, corpora: Sequence[Path], pages_per_site: int, seed: int, out: Path | None
) -> None:
    """Measure the f of text, anchor text and links in templates, and in content.

    Three variants are compared: basic, basic + merge, and smooth. A further row smooths with the
    objective on the slides of the paper's talk.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA are JSON Lines with `html`, `site` and
    `gold_selector`. Counts are summed over the pages of a site; figures are means over sites with
    95 % intervals of the bootstrap over sites. The merge uses the delta with the best mean f in
    templates on these very pages.
    """
    model = read_classifier(classifier)
    pages = [
        labelled
        for record in records_with(corpora, "gold_selector", pages_per_site)
        if (page := score_record(record, model)) and (labelled := _labelled(page))
    ]
    if not pages:
        raise InputProblem("no page has a `gold_selector` that names its content")
    report = Report(out)
    sites = len({one.page.record["site"] for one in pages})
    report.say(f"{len(pages)} pages of {sites} sites")
    _table(report, pages, seed)
    _figure(report, pages)


def _labelled(page: ScoredPage) -> PageWithLabels | None:
    record = page.record
    gold = GoldSelectors.of(record)
    labels = selected_labels(page.document, record_markup(record), gold) if gold else None
    if labels is None or not labels.content.any():
        return None
    return PageWithLabels(page=page, labels=labels)


def _table(report: Report, pages: Sequence[PageWithLabels], seed: int) -> None:
    merges = {delta: site_f(pages, merging_variant(delta)) for delta in _DELTAS}
    best = max(merges, key=lambda delta: _in_templates(merges[delta]))
    variants = {
        "all is template": site_f(pages, lambda page: basic_variant(np.ones(len(page.words)))),
        "basic": site_f(pages, lambda page: basic_variant(page.templateness)),
        f"basic + merge, delta {best:g}": merges[best],
        "smooth": site_f(pages, smoothing_variant()),
        "smooth, the talk's": site_f(pages, spread_smoothing_variant()),
    }
    rows = []
    for place, counted in variants["smooth"]:
        row = [f"{_COUNTED[counted]} {_PLACES[place]}"]
        for name, fs in variants.items():
            paper = _PAPER.get(name, {}).get(counted) if place == "in_templates" else None
            row.append(_figures(fs[place, counted], seed) + (f" (paper {paper})" if paper else ""))
        names = list(variants)
        for one, other in pairwise(names[1:]):
            gain = variants[other][place, counted] - variants[one][place, counted]
            row.append(_figures(gain, seed))
        rows.append(row)
    header = ["f", *variants, "merge - basic", "smooth - merge", "talk's - smooth"]
    report.table("table 1: f-measure", header, rows)


def _in_templates(fs: SiteFs) -> float:
    return float(np.mean([np.nanmean(fs["in_templates", counted]) for counted in _COUNTED]))


def _figure(report: Report, pages: Sequence[PageWithLabels]) -> None:
    by_penalty = {
        penalty: [
            (multiple, site_f(pages, smoothing_variant(multiple * PENALTY_FACTOR, penalty)))
            for multiple in PENALTY_MULTIPLES
        ]
        for penalty in PENALTIES
    }
    report.figure(
        "figure-2",
        line_chart(
            "f in templates against the penalty",
            "factor multiplied into the penalty 0.01 A / A_i",
            "f",
            {
                name: [
                    (multiple, float(np.nanmean(fs["in_templates", counted])))
                    for multiple, fs in by_penalty["area"]
                ]
                for counted, name in _COUNTED.items()
            },
        ),
    )
    rows = []
    for penalty, some in by_penalty.items():
        for multiple, fs in some:
            means = [f"{np.nanmean(fs['in_templates', counted]):.3f}" for counted in _COUNTED]
            rows.append([penalty, f"{multiple * PENALTY_FACTOR:g}", *means])
    report.table("figure 2: f in templates by penalty", ["penalty", "c", *_COUNTED.values()], rows)


def site_f(pages: Sequence[PageWithLabels], variant: PageVariant) -> SiteFs:
    """Return the f of each site, by place and count; NaN if the site's gold has none of it."""
    sums: dict[tuple[str, str], defaultdict[str, list[Overlap]]] = {
        (place, counted): defaultdict(list) for place in _PLACES for counted in _COUNTED
    }
    for one in pages:
        page, labels = one.page, one.labels
        found = template_f(
            page.document, page.words, variant(page).kept, labels.content, labels.counts
        )
        for (place, counted), by_site in sums.items():
            by_site[page.record["site"]].append(getattr(getattr(found, place), counted))
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
