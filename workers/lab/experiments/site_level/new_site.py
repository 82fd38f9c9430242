"""`templ experiments new-site`: measures what the first pages of a site gain from each other."""

import statistics
from collections.abc import Sequence
from pathlib import Path

import click

from workers.inspect.plots import line_chart
from workers.lab.experiments.corpora.replayed_sites import (
    ReplayedPage,
    replay_options,
    replay_row,
    replay_sites,
)
from workers.lab.experiments.results import Report
from workers.lab.options import out_option, time_field_option

_EARLY = (2, 7)
_FIRST = (8, 25)
_FULL = (26, 1 << 30)
_SHOWN = 40


@click.command("new-site", short_help="Measure the first pages of a new site.")
@replay_options
@time_field_option
@out_option
def new_site(
    corpus: Path, time_field: str, folds: Path | None, jobs: int, out: Path | None
) -> None:
    """Clean CORPUS as `templ run` does, and report word F1 by the position of a page in its site.

    CORPUS is JSON Lines with gold text and several pages a site.
    """
    sites = replay_sites(corpus, time_field=time_field, folds=folds, jobs=jobs)
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
    report.say(f"Pages decided without site evidence, from page {_FIRST[0]} on: {len(without)}")
    alarms = sum(page.finds_redesign for page in pages)
    report.say(f"Redesigns detected: {alarms} on {len(sites)} sites")
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


def _row(name: str, pages: Sequence[ReplayedPage]) -> list[str]:
    has_gold = any(page.f1 is not None for page in pages)
    weight = f"{100 * statistics.fmean(page.uses_site for page in pages):.0f} %" if has_gold else ""
    return [*replay_row(name, pages), weight]
