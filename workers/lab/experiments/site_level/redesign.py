"""`templ experiments redesign`: what a new design of a site costs, and how fast it is learned."""

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click
import msgspec

from workers.errors import InputProblem
from workers.lab.experiments.corpora.followed_pages import (
    FollowedPage,
    figures_row,
    follow_sites,
    followed_options,
)
from workers.lab.experiments.results import Report, out_option

_BEFORE = 25
_BINS = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 10), (11, 25), (26, 10_000))


class Change(msgspec.Struct, frozen=True):
    """A change of a site's design."""

    before: list[FollowedPage]
    """The last pages before it."""
    after: list[FollowedPage]
    """From the first page of the new design to the last before the next change."""


@click.command()
@followed_options
@click.option(
    "--design-field",
    default="snapshot",
    show_default=True,
    help="Field that names a page's design: `snapshot` of history, `design` of `templ simulate`.",
)
@click.option("--time-field", default="none", show_default=True, help="As of `templ run`.")
@out_option
def redesign(
    corpus: Path,
    design_field: str,
    time_field: str,
    folds: Path | None,
    jobs: int,
    out: Path | None,
) -> None:
    """Clean CORPUS as `templ run` does, and show word F1 by pages since the design changed.

    A change is the first page of a design that the site had not shown before; pages of the old
    design that still come behind it count with those of the new one.
    """
    sites = follow_sites(
        corpus, time_field=time_field, folds=folds, design_field=design_field, jobs=jobs
    )
    found = [change for site in sites for change in changes(site)]
    if not found:
        raise InputProblem(f"{corpus}: no site has two designs by the field {design_field!r}")
    report = Report(out)
    before = [page for change in found for page in change.before]
    rows = [figures_row(f"the {_BEFORE} before", before)]
    for first, last in _BINS:
        pages = [page for change in found for page in change.after[first - 1 : last]]
        if pages:
            rows.append(figures_row(f"{first}-{last}" if last > first else str(first), pages))
    report.table(
        f"{len(found)} changes of design: word F1 by page since the change",
        ["page", "pages", "page level", "with the site", "difference"],
        rows,
    )
    delays = sorted(delay for change in found if (delay := _delay(change)) is not None)
    report.say(
        f"Found by the change detector: {len(delays)} of {len(found)}"
        + (f", the median after {statistics.median_high(delays)} pages" if delays else "")
    )


def _delay(change: Change) -> int | None:
    """Pages of the new design when the change was found; None when it was not."""
    found = (number for number, page in enumerate(change.after, 1) if page.finds_change)
    return next(found, None)


def changes(site: Sequence[FollowedPage]) -> Iterator[Change]:
    """Where a site shows a design for the first time, but for its first one."""
    seen: set[str] = set()
    starts = []
    for place, page in enumerate(site):
        if page.design not in seen:
            seen.add(page.design)
            starts.append(place)
    for start, end in pairwise([*starts[1:], len(site)]):
        yield Change(list(site[max(0, start - _BEFORE) : start]), list(site[start:end]))
