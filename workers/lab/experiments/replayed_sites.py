"""Sites replayed page by page through the worker's own code: what new sites gain, and redesigns cost."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise, repeat
from pathlib import Path

import click
import msgspec

from schemas.site_event import SiteEventRecord
from templ_core.page_level.model.page_model import PageModel
from workers.errors import InputProblem
from workers.inspect.plots import line_chart
from workers.lab.corpora import corpus_name, read_objects
from workers.lab.evaluation.corpus_files import SitePages, read_sites
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.page_models import models_of_folds
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.results import Cell, Report
from workers.lab.job_processes import map_in_processes
from workers.lab.options import jobs_option, option, out_option, time_field_option
from workers.local.local_state import LocalState
from workers.local.runner import Stream
from workers.pipeline.site_engine import SiteEngine
from workers.processes.messages import Cleaned
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import Settings, load_settings


class ReplayedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one page."""

    site: str
    number: int
    """Position of the page among the pages of its site, from 1, in order of arrival."""
    design: str
    """Name of the site's design at that time; empty if the corpus does not name it."""
    uses_site: bool
    """Whether the evidence of the site had any weight in the decision."""
    finds_redesign: bool
    """Whether a redesign of the site was detected with this page."""
    other_events: AbstractSet[str] = frozenset()
    """What else has changed on the site, it was told with this page."""
    f1: float | None
    """Word F1; None for pages without gold."""
    alone_f1: float | None
    """Word F1 of the page level alone; None for pages without gold."""


def replay_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options of the commands that replay sites."""
    for add in (
        jobs_option,
        click.option(
            "--folds",
            type=click.Path(path_type=Path, file_okay=False),
            help="Clean each site with a page model that was trained without it; a directory of "
            "`templ train --folds`.  [default: the shipped page model]",
        ),
        click.argument("corpus", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def replay_row(name: str, pages: Sequence[ReplayedPage]) -> list[Cell]:
    """Return a table row: name, number of scored pages, mean F1 without and with the site, gain."""
    scored = [(page.alone_f1 or 0.0, page.f1) for page in pages if page.f1 is not None]
    if not scored:
        return [name, 0, None, None, None]
    alone = statistics.fmean(one for one, _ in scored)
    fused = statistics.fmean(one for _, one in scored)
    return [name, len(scored), alone, fused, f"{fused - alone:+.4f}"]


def replay_sites(
    corpus: Path,
    *,
    time_field: str,
    folds: Path | None,
    design_field: str | None = None,
    jobs: int = 1,
) -> list[list[ReplayedPage]]:
    """Clean the pages of each site in order; each page profits from the pages before it.

    Args:
        corpus: JSON Lines file.
        time_field: Field that orders the pages, in the sense of `templ run --time-field`.
        folds: Directory of `templ train --folds`; None uses the shipped page model.
        design_field: Field that names the design of a page.
        jobs: Number of sites to process at the same time, each in a process of its own.

    Returns:
        One list for each site, in the order of the corpus. With `folds`, sites are left out on
        which no page model was trained; they have no gold.
    """
    sites = read_sites(corpus, time_field)
    designs = [
        str(fields.get(design_field) or "") if design_field else ""
        for _, fields in read_objects(corpus)
    ]
    models = _page_models(corpus, sites, folds)
    known = [(site, model) for site, model in zip(sites, models, strict=True) if model]
    return list(
        map_in_processes(
            jobs,
            _replay,
            [site for site, _ in known],
            [model for _, model in known],
            [[designs[page.source.offset] for page in site.pages] for site, _ in known],
            repeat(load_settings()),
        )
    )


def _page_models(
    corpus: Path, sites: Sequence[SitePages], folds: Path | None
) -> list[PageModel | None]:
    if folds is None:
        model = page_model_of(read_model_file(load_settings().page_model))
        return [model for _ in sites]
    name = corpus_name(corpus)
    found = models_of_folds(folds).left_out([(name, one.pages[0].url, one.site) for one in sites])
    return [one and one[1] for one in found]


def _replay(
    site: SitePages, page_model: PageModel, designs: Sequence[str], settings: Settings
) -> list[ReplayedPage]:
    runner = InProcess(page_model)
    settings = msgspec.structs.replace(settings, site_events=True)
    state = LocalState(None, settings)
    stream = Stream(state, runner, settings)
    alone = SiteEngine(runner, settings)
    replayed = []
    columns = zip(site.pages, site.gold, designs, strict=True)
    for number, (page, wanted, design) in enumerate(columns, 1):
        outcome, following = stream.process(page)
        if not isinstance(outcome, Cleaned):
            continue
        events = {one.event for one in following if isinstance(one, SiteEventRecord)}
        by_page = alone.clean(page)
        f1 = alone_f1 = None
        if wanted is not None:
            scorer = TextScorer(wanted, page_markup(wanted))
            f1 = scorer.score(outcome.record.text).f1
            alone_text = by_page.record.text if isinstance(by_page, Cleaned) else ""
            alone_f1 = scorer.score(alone_text).f1
        replayed.append(
            ReplayedPage(
                site=page.site,
                number=number,
                design=design,
                finds_redesign="design-changed" in events,
                other_events=events - {"design-changed"},
                uses_site=outcome.record.method == "site",
                f1=f1,
                alone_f1=alone_f1,
            )
        )
    return replayed


_BANDS = {
    **{str(number): (number, number) for number in range(1, 8)},
    "2-7": (2, 7),
    "8-25": (8, 25),
    "26-": (26, 1 << 30),
}
"""First and last page of each row of the table."""
_FIRST = 8
_SHOWN = 40


@click.command("new-site", short_help="Measure the first pages of a new site.")
@replay_options
@time_field_option()
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
            for name, (first, last) in _BANDS.items()
        ],
        4,
    )
    without = [page for page in pages if page.number >= _FIRST and not page.uses_site]
    report.say(f"Pages decided without site evidence, from page {_FIRST} on: {len(without)}")
    alarms = sum(page.finds_redesign for page in pages)
    others = Counter(event for page in pages for event in page.other_events)
    report.say(f"Redesigns detected: {alarms} on {len(sites)} sites; other events: {dict(others)}")
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


def _row(name: str, pages: Sequence[ReplayedPage]) -> list[Cell]:
    has_gold = any(page.f1 is not None for page in pages)
    weight = f"{100 * statistics.fmean(page.uses_site for page in pages):.0f} %" if has_gold else ""
    return [*replay_row(name, pages), weight]


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
@option(
    "--design-field",
    default="snapshot",
    help="Field that names the design of a page; feeds of `templ simulate` have it in `design`.",
)
@option("--time-field", default="none", help="Field that orders the pages; see `templ run --help`.")
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
        4,
    )
    delays = sorted(delay for change in found if (delay := _delay(change)) is not None)
    report.say(
        f"Found by the redesign detector: {len(delays)} of {len(found)}"
        + (
            f"; median delay {statistics.median_high(delays)} pages, at most {delays[-1]}"
            if delays
            else ""
        )
    )
    alarms = sum(page.finds_redesign for site in sites for page in site)
    others = Counter(event for site in sites for page in site for event in page.other_events)
    report.say(f"Events: {alarms} of a redesign; others: {dict(others)}")


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
