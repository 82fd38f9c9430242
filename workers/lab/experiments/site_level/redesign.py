"""`templ experiments redesign`: measures what a redesign costs and how fast it is learned."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import click
import msgspec

from workers.errors import InputProblem
from workers.lab.experiments.corpora.replayed_sites import (
    ReplayedPage,
    replay_options,
    replay_row,
    replay_sites,
)
from workers.lab.experiments.results import Report
from workers.lab.options import out_option

_BEFORE = 25
_BINS: Mapping[str, tuple[int, int | None]] = {
    "1": (1, 1),
    "2": (2, 2),
    "3-4": (3, 4),
    "5-7": (5, 7),
    "8-10": (8, 10),
    "11-25": (11, 25),
    "26-": (26, None),
}
"""First and last page of each row of the table, counted from the redesign."""


class Redesign(msgspec.Struct, frozen=True):
    """A redesign of a site."""

    before: list[ReplayedPage]
    """The last pages before the redesign."""
    after: list[ReplayedPage]
    """The pages from the first one of the new design to the last one before the next redesign."""


@click.command(short_help="Measure the pages after a redesign.")
@replay_options
@click.option(
    "--design-field",
    default="snapshot",
    show_default=True,
    help="Field that names the design of a page; feeds of `templ simulate` have it in `design`.",
)
@click.option(
    "--time-field",
    default="none",
    show_default=True,
    help="Field that orders the pages; see `templ run --help`.",
)
@out_option
def redesign(
    corpus: Path,
    design_field: str,
    time_field: str,
    folds: Path | None,
    jobs: int,
    out: Path | None,
) -> None:
    """Clean CORPUS as `templ run` does, and report word F1 by page since the site's last redesign.

    A redesign begins with the first page of a design that the site has not shown before. Pages of
    the old design that arrive later count with those of the new one. CORPUS is JSON Lines with gold
    text and a field that names the design of each page.
    """
    sites = replay_sites(
        corpus, time_field=time_field, folds=folds, design_field=design_field, jobs=jobs
    )
    found = [change for site in sites for change in design_changes(site)]
    if not found:
        raise InputProblem(f"{corpus}: no site has two values of the field {design_field!r}")
    report = Report(out)
    before = [page for change in found for page in change.before]
    rows = [replay_row(f"the {_BEFORE} before", before)]
    for name, (first, last) in _BINS.items():
        pages = [page for change in found for page in change.after[first - 1 : last]]
        if pages:
            rows.append(replay_row(name, pages))
    report.table(
        f"{len(found)} redesigns: word F1 by page since the redesign",
        ["page", "pages", "page level", "with the site", "difference"],
        rows,
    )
    delays = sorted(delay for change in found if (delay := _delay(change)) is not None)
    report.say(
        f"Found by the redesign detector: {len(delays)} of {len(found)}"
        + (f"; median delay {statistics.median_high(delays)} pages" if delays else "")
    )


def _delay(change: Redesign) -> int | None:
    """Return how many pages of the new design it took to detect the redesign, or None."""
    found = (number for number, page in enumerate(change.after, 1) if page.finds_redesign)
    return next(found, None)


def design_changes(site: Sequence[ReplayedPage]) -> Iterator[Redesign]:
    """Yield each redesign of a site; its first design is none."""
    seen: set[str] = set()
    starts = []
    for place, page in enumerate(site):
        if page.design not in seen:
            seen.add(page.design)
            starts.append(place)
    for start, end in pairwise([*starts[1:], len(site)]):
        yield Redesign(list(site[max(0, start - _BEFORE) : start]), list(site[start:end]))
