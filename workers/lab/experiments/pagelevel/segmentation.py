"""`templ experiments pagelevel-segmentation`: figures 1 and 3 of Chakrabarti et al. (WWW 2007)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from templ_core.lab.evaluation.adjusted_rand import adjusted_rand
from templ_core.lab.evaluation.block_alignment import block_of_each
from templ_core.lab.evaluation.bootstrap import bootstrap
from templ_core.lab.evaluation.fragments import largest_fragments
from templ_core.lab.evaluation.line_chart import line_chart
from templ_core.lab.papers.pagelevel.node_smoothing import PENALTIES, PENALTY_FACTOR
from templ_core.lab.papers.pagelevel.spread_smoothing import smooth_spread_on_grid
from templ_core.lab.papers.pagelevel.variants import Variant, basic, basic_merge, smooth
from workers.errors import InputProblem
from workers.lab.experiments.corpora.gold_pages import (
    ScoredPage,
    read_classifier,
    records,
    score_record,
)
from workers.lab.experiments.results import Report, out_option

DELTAS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FACTORS = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
GN1_TEMPLATE = (0, 4)
"""Boilerplate and related content; headline, full text, supplemental and comments are not."""
SYNTHETIC_CONTENT = ("content", "neutral", "comments")

Choice = Callable[[ScoredPage], Variant]


class SegmentedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with its gold segmentation."""

    page: ScoredPage
    group: Any
    """Gold group of each segment; -1 = not in the gold."""


@click.command()
@click.argument("classifier", type=click.Path(path_type=Path))
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pages-per-site", default=20, show_default=True, help="The first ones with gold.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap over sites.")
@click.option("--runs", is_flag=True, help="The gold are the blocks themselves, as runs of text.")
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
    """Adjusted RAND of the segmentations: basic, basic + merge, smooth.

    CORPORA: JSON Lines, each with `gold_blocks` (L3S-GN1) or `sections` (`templ simulate`). The gold
    are the largest elements that are all template or all not, as in the paper. Means over pages with
    95 % intervals of the bootstrap over sites; the merge gets the delta that is best on these pages.
    """
    model = read_classifier(classifier)
    report = Report(out)
    for path in corpora:
        pages = [
            segmented
            for field in ("gold_blocks", "sections")
            for record in records([path], field, pages_per_site)
            if (page := score_record(record, model)) and (segmented := _segmented(page, runs=runs))
        ]
        if not pages:
            raise InputProblem(f"{path}: no page has `gold_blocks` or `sections`")
        name = path.name.partition(".")[0]
        sites = len({one.page.record["site"] for one in pages})
        report.say(f"{name}: {len(pages)} pages of {sites} sites")
        _table(report, name, pages, seed)
        _figure(report, name, pages)


def _segmented(page: ScoredPage, *, runs: bool) -> SegmentedPage | None:
    """The page with its gold; None where that has one group only."""
    if page.record.get("gold_blocks"):
        blocks = [(kind in GN1_TEMPLATE, text) for kind, text in page.record["gold_blocks"]]
    else:
        blocks = [
            (one["kind"] not in SYNTHETIC_CONTENT, one["text"]) for one in page.record["sections"]
        ]
    group = block_of_each(page.document.segments.texts, [text for _, text in blocks])
    if not runs:
        kind = np.array([int(is_template) for is_template, _ in blocks])[group]
        group = np.where(group >= 0, largest_fragments(page.document, kind), -1)
    scored = group[group >= 0]
    return SegmentedPage(page=page, group=group) if len(set(scored.tolist())) > 1 else None


def _table(report: Report, name: str, pages: Sequence[SegmentedPage], seed: int) -> None:
    merges = {delta: page_rands(pages, _merging(delta)) for delta in DELTAS}
    best = max(merges, key=lambda delta: float(merges[delta].mean()))
    basics = page_rands(pages, lambda page: basic(page.templateness))
    smoothed = page_rands(pages, _smoothing(PENALTY_FACTOR))
    rows = [
        ["basic", _figures(pages, basics, seed)],
        [f"basic + merge, delta {best:g}", _figures(pages, merges[best], seed)],
        ["smooth", _figures(pages, smoothed, seed)],
        ["smooth, the talk's objective", _figures(pages, page_rands(pages, _talk()), seed)],
        ["merge - basic", _figures(pages, merges[best] - basics, seed)],
        ["smooth - merge", _figures(pages, smoothed - merges[best], seed)],
    ]
    report.table(f"figure 1: segmentation of {name}", ["", "adjusted RAND"], rows)


def _figure(report: Report, name: str, pages: Sequence[SegmentedPage]) -> None:
    lines = {
        kind: [
            (factor, float(page_rands(pages, _smoothing(factor * PENALTY_FACTOR, kind)).mean()))
            for factor in FACTORS
        ]
        for kind in PENALTIES
    }
    lines["area, the talk's objective"] = [
        (factor, float(page_rands(pages, _talk(factor * PENALTY_FACTOR)).mean()))
        for factor in FACTORS
    ]
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
            f"{factor * PENALTY_FACTOR:g}",
            *(f"{dict(points)[factor]:.3f}" for points in lines.values()),
        ]
        for factor in FACTORS
    ]
    report.table(f"figure 3: adjusted RAND by penalty, {name}", ["c", *lines], rows)


def _merging(delta: float) -> Choice:
    return lambda page: basic_merge(page.templateness, page.words, delta)


def _smoothing(factor: float, kind: str = "area") -> Choice:
    return lambda page: smooth(
        page.features, page.document.segments.owner, page.block_templateness, factor, kind
    )


def _talk(factor: float = PENALTY_FACTOR) -> Choice:
    return lambda page: smooth(
        page.features,
        page.document.segments.owner,
        page.block_templateness,
        factor,
        smoother=smooth_spread_on_grid,
    )


def page_rands(pages: Sequence[SegmentedPage], choice: Choice) -> np.ndarray:
    """Adjusted RAND of each page."""
    found = []
    for one in pages:
        in_gold = one.group >= 0
        found.append(adjusted_rand(choice(one.page).group[in_gold], one.group[in_gold]))
    return np.array(found)


def _figures(pages: Sequence[SegmentedPage], values: np.ndarray, seed: int) -> str:
    mean = bootstrap(values.tolist(), [one.page.record["site"] for one in pages], seed)
    if mean.pages_interval is None:
        return f"{mean.of_pages:.3f}"
    interval = mean.pages_interval
    return f"{mean.of_pages:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
