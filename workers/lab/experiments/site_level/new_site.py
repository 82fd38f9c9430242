"""`templ experiments new-site`: what the first pages of a site gain by each other."""

import statistics
from collections.abc import Sequence
from pathlib import Path

import click

from templ_core.lab.evaluation.line_chart import line_chart
from workers.lab.experiments.corpora.followed_pages import (
    FollowedPage,
    figures_row,
    follow_sites,
    followed_options,
)
from workers.lab.experiments.results import Report, out_option

_EARLY = (2, 7)
_FIRST = (8, 25)
_FULL = (26, 1 << 30)
_SHOWN = 40


@click.command("new-site")
@followed_options
@click.option("--time-field", default="arrival", show_default=True, help="As of `templ run`.")
@out_option
def new_site(
    corpus: Path, time_field: str, folds: Path | None, jobs: int, out: Path | None
) -> None:
    """Clean CORPUS as `templ run` does, and show word F1 by the pages of a site that came before."""
    sites = follow_sites(corpus, time_field=time_field, folds=folds, jobs=jobs)
    pages = [page for site in sites for page in site]
    report = Report(out)
    report.table(
        "Word F1 by page of its site",
        ["page", "pages", "page level", "with the site", "difference", "where evidence has weight"],
        [
            _row(name, [page for page in pages if first <= page.number <= last])
            for name, (first, last) in {
                "1": (1, 1),
                **{str(number): (number, number) for number in range(_EARLY[0], _EARLY[1] + 1)},
                "2-7": _EARLY,
                "8-25": _FIRST,
                "26-": _FULL,
            }.items()
        ],
    )
    without = [page for page in pages if page.number >= _FIRST[0] and not page.uses_site]
    report.say(f"Pages from the {_FIRST[0]}th on without site evidence: {len(without)}")
    alarms = sum(page.finds_change for page in pages)
    report.say(f"Changes of design found: {alarms} on {len(sites)} sites")
    by_number = [
        (number, [page for page in pages if page.number == number and page.f1 is not None])
        for number in range(1, _SHOWN + 1)
    ]
    lines = {
        name: [
            (number, statistics.fmean(getattr(page, field) for page in some))
            for number, some in by_number
            if some
        ]
        for name, field in (("with the site", "f1"), ("page level", "alone_f1"))
    }
    report.figure("new-site", line_chart("A new site", "page of its site", "word F1", lines))


def _row(name: str, pages: Sequence[FollowedPage]) -> list[str]:
    has_gold = any(page.f1 is not None for page in pages)
    weight = f"{100 * statistics.fmean(page.uses_site for page in pages):.0f} %" if has_gold else ""
    return [*figures_row(name, pages), weight]
