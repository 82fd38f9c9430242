"""`templ experiments kolcz-yih`: figure 1 of Kolcz and Yih (PKDD 2007), for two samplings."""

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from templ_core.lab.evaluation.precision_recall import curve_of_scores, recall_at
from templ_core.lab.papers.kolcz_yih.block_detector import (
    BlockSample,
    balanced,
    cross_site_scores,
    sample_blocks,
    thinned_curve,
)
from templ_core.lab.training.labels.site_pages import CorpusPage, TooFewPages, read_sites
from workers.errors import InputProblem
from workers.inspect.plots import line_chart
from workers.lab.experiments.corpora.site_records import (
    read_site_pages,
    sample_shortest_paths,
    sample_uniformly,
)
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option

_NAMES = {"text": "text", "maxent": "maxent", "forest": "rf"}
_PRECISIONS = (0.8, 0.85, 0.9, 0.95)
_POINTS = 60


@click.command(short_help="Kolcz and Yih (2007): template blocks.")
@corpora_argument
@click.option(
    "--pages-per-site",
    default=60,
    show_default=True,
    help="Number of pages to draw from each site.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random forest.")
@out_option
def kolcz_yih(corpora: Sequence[Path], pages_per_site: int, seed: int, out: Path | None) -> None:
    """Measure precision and recall of template blocks on unseen sites, by 10-fold cross-validation.

    CORPORA need several pages a site and no gold, since labels are counted on the sites themselves.
    Pages are drawn in two ways: by hash, like the paper's crawl, and by the shortest paths, like
    its directory.
    """
    report = Report(out)
    pages = list(read_site_pages(corpora))
    samplings = {
        "crawl": sample_uniformly(pages, pages_per_site),
        "directory": sample_shortest_paths(pages, max(pages_per_site // 2, 1)),
    }
    del pages
    for name, drawn in samplings.items():
        sample = _sample(drawn)
        count, template = len(sample.template), float(sample.template.mean())
        report.say(
            f"{name}: {len(drawn)} pages drawn, {len(set(sample.site.tolist()))} sites, "
            f"{count} labelled blocks, {template:.1%} of them template"
        )
        _report(report, name, sample, seed)


def _sample(pages: Sequence[CorpusPage]) -> BlockSample:
    try:
        samples = [sample_blocks(site, number) for number, site in enumerate(read_sites(pages))]
    except TooFewPages as error:
        raise InputProblem(str(error)) from None
    return BlockSample.joined(one for one in samples if one is not None)


def _report(report: Report, name: str, sample: BlockSample, seed: int) -> None:
    scores = cross_site_scores(sample, seed, lambda done: click.echo(done, err=True))
    weights = {
        "unweighted": np.ones(len(sample.template)),
        "classes weighted equally": balanced(sample.template),
    }
    rows, lines = [], {}
    for weighting, weight in weights.items():
        for detector, title in _NAMES.items():
            curve = curve_of_scores(scores[detector], sample.template, weight)
            figures = [f"{recall_at(curve, wanted):.3f}" for wanted in _PRECISIONS]
            rows.append([f"{title}, {weighting}", *figures])
            if weighting == "unweighted":
                lines[title] = thinned_curve(curve, _POINTS)
    header = ["recall of template", *(f"at precision {wanted:.2f}" for wanted in _PRECISIONS)]
    report.table(f"{name}: cross-site 10-fold", header, rows)
    report.figure(
        f"kolcz-yih-{name}",
        line_chart(
            f"Figure 1, {name}: blocks of unseen sites",
            "recall",
            "precision",
            lines,
            ticks=[fifth / 5 for fifth in range(6)],
        ),
    )
