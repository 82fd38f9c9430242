"""`templ experiments pagelevel-segmentation`: figures 1 and 3 of Chakrabarti et al. (WWW 2007)."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.lab.evaluation.report import bootstrap
from templ_core.lab.evaluation.segmentation import adjusted_rand, block_of_each, largest_fragments
from templ_core.lab.papers.pagelevel.variants import PENALTIES, PENALTY_FACTOR, basic_variant
from workers.errors import InputProblem
from workers.inspect.plots import line_chart
from workers.lab.experiments.corpora.scored_pages import (
    ScoredPage,
    read_classifier,
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
from workers.lab.jsonl import corpus_name
from workers.lab.options import corpora_argument, out_option

_DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_GN1_TEMPLATE = (0, 4)
"""Classes of GN1 that count as template: boilerplate and related content."""
_SYNTHETIC_CONTENT = ("content", "neutral", "comments")


class SegmentedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with its gold segmentation."""

    page: ScoredPage
    group: Any
    """Gold group of each segment; -1 for segments that are not in the gold."""


@click.command(short_help="Chakrabarti et al. (2007): segmentation.")
@click.argument("classifier", type=click.Path(path_type=Path))
@corpora_argument
@click.option(
    "--pages-per-site",
    default=20,
    show_default=True,
    help="Number of pages with gold to use of each site.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap over sites.")
@click.option(
    "--runs",
    is_flag=True,
    help="Take the gold blocks themselves, as runs of text, for the gold segmentation.",
)
@out_option
def pagelevel_segmentation(
    classifier: Path,
    corpora: Sequence[Path],
    *,
    pages_per_site: int,
    seed: int,
    runs: bool,
    out: Path | None,
) -> None:
    """Measure the adjusted RAND index of three segmentations: basic, basic + merge, and smooth.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA are JSON Lines with `gold_blocks` (L3S-GN1)
    or `sections` (`templ simulate`). The gold segments are the largest elements that are all
    template or all not, as in the paper. Figures are means over pages with 95 % intervals of the
    bootstrap over sites. The merge uses the delta that is best on these very pages.
    """
    model = read_classifier(classifier)
    report = Report(out)
    for path in corpora:
        pages = [
            segmented
            for field in ("gold_blocks", "sections")
            for record in records_with([path], field, pages_per_site)
            if (page := score_record(record, model)) and (segmented := _segmented(page, runs=runs))
        ]
        if not pages:
            raise InputProblem(f"{path}: no page has `gold_blocks` or `sections`")
        name = corpus_name(path)
        sites = len({one.page.record["site"] for one in pages})
        report.say(f"{name}: {len(pages)} pages of {sites} sites")
        _table(report, name, pages, seed)
        _figure(report, name, pages)


def _segmented(page: ScoredPage, *, runs: bool) -> SegmentedPage | None:
    """Return the page with its gold segmentation, or None if that has a single group."""
    if page.record.get("gold_blocks"):
        blocks = [
            (block_class in _GN1_TEMPLATE, text) for block_class, text in page.record["gold_blocks"]
        ]
    else:
        blocks = [
            (one["kind"] not in _SYNTHETIC_CONTENT, one["text"]) for one in page.record["sections"]
        ]
    group = block_of_each(page.document.segments.texts, [text for _, text in blocks])
    if not runs:
        label = np.array([int(is_template) for is_template, _ in blocks])[group]
        group = np.where(group >= 0, largest_fragments(page.document, label), -1)
    scored = group[group >= 0]
    return SegmentedPage(page=page, group=group) if len(set(scored.tolist())) > 1 else None


def _table(report: Report, name: str, pages: Sequence[SegmentedPage], seed: int) -> None:
    merges = {delta: page_rands(pages, merging_variant(delta)) for delta in _DELTAS}
    best = max(merges, key=lambda delta: float(merges[delta].mean()))
    basics = page_rands(pages, lambda page: basic_variant(page.templateness))
    smooth = page_rands(pages, smoothing_variant())
    rows = [
        ["basic", _figures(pages, basics, seed)],
        [f"basic + merge, delta {best:g}", _figures(pages, merges[best], seed)],
        ["smooth", _figures(pages, smooth, seed)],
        [
            "smooth, the talk's objective",
            _figures(pages, page_rands(pages, spread_smoothing_variant()), seed),
        ],
        ["merge - basic", _figures(pages, merges[best] - basics, seed)],
        ["smooth - merge", _figures(pages, smooth - merges[best], seed)],
    ]
    report.table(f"figure 1: segmentation of {name}", ["", "adjusted RAND"], rows)


def _figure(report: Report, name: str, pages: Sequence[SegmentedPage]) -> None:
    variants: dict[str, Callable[[float], PageVariant]] = {
        penalty: partial(smoothing_variant, penalty=penalty) for penalty in PENALTIES
    }
    variants["area, the talk's objective"] = spread_smoothing_variant
    lines = {
        name: [
            (multiple, float(page_rands(pages, variant(multiple * PENALTY_FACTOR)).mean()))
            for multiple in PENALTY_MULTIPLES
        ]
        for name, variant in variants.items()
    }
    report.figure(
        f"figure-3-{name}",
        line_chart(
            f"segmentation of {name} against the penalty",
            "factor multiplied into the penalty 0.01 A / A_i",
            "adjusted RAND",
            lines,
        ),
    )
    rows = [
        [
            f"{multiple * PENALTY_FACTOR:g}",
            *(f"{dict(points)[multiple]:.3f}" for points in lines.values()),
        ]
        for multiple in PENALTY_MULTIPLES
    ]
    report.table(f"figure 3: adjusted RAND by penalty, {name}", ["c", *lines], rows)


def page_rands(pages: Sequence[SegmentedPage], variant: PageVariant) -> Floats:
    """Return the adjusted RAND index of each page."""
    found = []
    for one in pages:
        in_gold = one.group >= 0
        found.append(adjusted_rand(variant(one.page).group[in_gold], one.group[in_gold]))
    return np.array(found)


def _figures(pages: Sequence[SegmentedPage], values: Floats, seed: int) -> str:
    mean = bootstrap(values.tolist(), [one.page.record["site"] for one in pages], seed)
    if mean.pages_interval is None:
        return f"{mean.of_pages:.3f}"
    interval = mean.pages_interval
    return f"{mean.of_pages:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
