"""Sites replayed page by page through the worker's own code: what new sites gain, and redesigns cost."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise, repeat
from pathlib import Path
from statistics import fmean, median_high

import msgspec

from templ_core import CleanedPage, CrawledPage, SiteCleaner, clean_crawl
from templ_core.errors import PageError
from templ_core.page_level.model.page_model import PageModel
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_name, read_objects
from workers.lab.evaluation.corpus_files import SitePages, read_sites
from workers.lab.evaluation.page_models import models_of_folds
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.in_process import InProcess
from workers.lab.plots import line_chart
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.messages import Cleaned
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings, load_settings
from workers.watcher.file_watch import FileWatch


class ReplayedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one page."""

    site: str
    number: int
    """Position of the page among the pages of its site, from 1, in order of arrival."""
    design: str = ""
    """Name of the site's design at that time; empty if the corpus does not name it."""
    uses_site: bool = False
    """Whether the evidence of the site had any weight in the decision."""
    finds_redesign: bool = False
    """Whether a redesign of the site was detected with this page."""
    other_events: AbstractSet[str] = frozenset()
    """What else has changed on the site, as was reported with this page."""
    f1: float | None
    """Word F1; None for pages without gold."""
    alone_f1: float | None
    """Word F1 of the page level alone, or of the first of two passes; None for pages without gold."""


def replay_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options of the commands that replay sites."""
    for add in (
        lab.jobs,
        lab.folds(
            "Clean each site with a page model that was trained without it; a directory of "
            "`templ train --folds`.  [default: the shipped page model]"
        ),
        lab.corpus,
    ):
        command = add(command)
    return command


def replay_row(name: str, pages: Sequence[ReplayedPage]) -> list[lab.Cell]:
    """Return a table row: name, number of scored pages, mean F1 without and with the site, gain."""
    scored = [(page.alone_f1 or 0.0, page.f1) for page in pages if page.f1 is not None]
    if not scored:
        return [name, 0, None, None, None]
    alone = fmean(one for one, _ in scored)
    fused = fmean(one for _, one in scored)
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

    With `folds`, sites without gold are left out, because no page model was trained on them.
    """
    sites = read_sites(corpus, time_field)
    designs = [
        str(fields.get(design_field) or "") if design_field else ""
        for _, fields in read_objects(corpus)
    ]
    models = _page_models(corpus, sites, folds)
    known = [(site, model) for site, model in zip(sites, models, strict=True) if model]
    return list(
        lab.map_in_processes(
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
    models = models_of_folds(folds).left_out([(name, one.pages[0].url, one.site) for one in sites])
    return [one and one[1] for one in models]


def _replay(
    site: SitePages, page_model: PageModel, designs: Sequence[str], settings: Settings
) -> list[ReplayedPage]:
    runner = InProcess(page_model)
    settings = msgspec.structs.replace(settings, observed=True)
    state = LocalState(None, settings)
    stream = LearningCleaner(state, runner, settings)
    alone = PageCleaner(runner, settings)
    watch = FileWatch(None, settings, finds_copies=False)
    replayed = []
    columns = zip(site.pages, site.gold, designs, strict=True)
    for number, (page, wanted, design) in enumerate(columns, 1):
        outcome, _ = stream.process(page)
        if not isinstance(outcome, Cleaned):
            continue
        events = {one.event for one in watch.take(outcome.record).events}
        by_page = alone.clean(page)
        f1 = alone_f1 = None
        if wanted is not None:
            scorer = TextScorer(wanted, wanted.markup())
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


Bands = Mapping[str, tuple[int, int]]
"""First and last page of each row of a table."""
_LAST = 1 << 30
_BANDS: Bands = {
    **{str(number): (number, number) for number in range(1, 8)},
    "2-7": (2, 7),
    "8-25": (8, 25),
    "26-": (26, _LAST),
}


_FIRST = 8
_SHOWN = 40


@lab.command("Measure the first pages of a new site.", name="new-site")
@replay_options
@lab.time_field()
def new_site(
    report: lab.Report, corpus: Path, time_field: str, folds: Path | None, jobs: int
) -> None:
    """Clean CORPUS as `templ run` does, and report word F1 by the position of a page in its site.

    CORPUS is JSON Lines with gold text and several pages a site.
    """
    sites = replay_sites(corpus, time_field=time_field, folds=folds, jobs=jobs)
    pages = [page for site in sites for page in site]
    report.table(
        "Word F1 by page of its site",
        ["page", "pages", "page level", "with the site", "difference", "where evidence has weight"],
        [_row(name, some) for name, some in _in_bands(pages, _BANDS)],
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
            (number, fmean(getattr(page, field) for page in some))
            for number, some in by_number
            if some
        ]
        for name, field in (("with the site", "f1"), ("page level", "alone_f1"))
    }
    report.figure("new-site", line_chart("A new site", "page of its site", "word F1", lines))


def _in_bands(
    pages: Sequence[ReplayedPage], bands: Bands
) -> Iterator[tuple[str, list[ReplayedPage]]]:
    """Yield the pages of each band by their position in their site."""
    for name, (first, last) in bands.items():
        yield name, [page for page in pages if first <= page.number <= last]


def _row(name: str, pages: Sequence[ReplayedPage]) -> list[lab.Cell]:
    has_gold = any(page.f1 is not None for page in pages)
    weight = f"{100 * fmean(page.uses_site for page in pages):.0f} %" if has_gold else ""
    return [*replay_row(name, pages), weight]


_BEFORE = 25
_BINS: Bands = {
    "1": (1, 1),
    "2": (2, 2),
    "3-4": (3, 4),
    "5-7": (5, 7),
    "8-10": (8, 10),
    "11-25": (11, 25),
    "26-": (26, _LAST),
}
"""First and last page of each row, counted from the redesign."""


Redesign = tuple[list[ReplayedPage], list[ReplayedPage]]
"""The last pages before a redesign, and those from the first one of the new design to the last before the next."""


@lab.command("Measure the pages after a redesign.")
@replay_options
@lab.option(
    "--design-field",
    default="snapshot",
    help="Field that names the design of a page; feeds of `templ simulate` have it in `design`.",
)
@lab.time_field("none")
def redesign(
    report: lab.Report,
    corpus: Path,
    design_field: str,
    time_field: str,
    folds: Path | None,
    jobs: int,
) -> None:
    """Clean CORPUS as `templ run` does, and report word F1 by page since the site's last redesign.

    A redesign begins with the first page of a design that the site has not shown before. Pages of
    the old design that arrive later count with those of the new one. CORPUS is JSON Lines with gold
    text and a field that names the design of each page.
    """
    sites = replay_sites(
        corpus, time_field=time_field, folds=folds, design_field=design_field, jobs=jobs
    )
    redesigns = [change for site in sites for change in design_changes(site)]
    if not redesigns:
        raise InputProblem(f"{corpus}: no site has two values of the field {design_field!r}")
    before = [page for last, _ in redesigns for page in last]
    rows = [replay_row(f"the {_BEFORE} before", before)]
    for name, (first, last) in _BINS.items():
        pages = [page for _, after in redesigns for page in after[first - 1 : last]]
        if pages:
            rows.append(replay_row(name, pages))
    report.table(
        f"{len(redesigns)} redesigns: word F1 by page since the redesign",
        ["page", "pages", "page level", "with the site", "difference"],
        rows,
        4,
    )
    delays = sorted(
        next(number for number, page in enumerate(after, 1) if page.finds_redesign)
        for _, after in redesigns
        if any(page.finds_redesign for page in after)
    )
    report.say(
        f"Found by the redesign detector: {len(delays)} of {len(redesigns)}"
        + (f"; median delay {median_high(delays)} pages, at most {delays[-1]}" if delays else "")
    )
    alarms = sum(page.finds_redesign for site in sites for page in site)
    others = Counter(event for site in sites for page in site for event in page.other_events)
    report.say(f"Events: {alarms} of a redesign; others: {dict(others)}")


def design_changes(site: Sequence[ReplayedPage]) -> Iterator[Redesign]:
    """Yield each redesign of a site; its first design is none."""
    seen: set[str] = set()
    starts = []
    for place, page in enumerate(site):
        if page.design not in seen:
            seen.add(page.design)
            starts.append(place)
    for start, end in pairwise([*starts[1:], len(site)]):
        yield list(site[max(0, start - _BEFORE) : start]), list(site[start:end])


_PASS_BANDS: Bands = {
    "1": (1, 1),
    "1-5": (1, 5),
    "6-25": (6, 25),
    "26-": (26, _LAST),
    "all": (1, _LAST),
}


@lab.command("Measure cleaning in two passes.", name="two-passes")
@lab.corpus
@lab.jobs
@lab.time_field()
def two_passes(report: lab.Report, corpus: Path, jobs: int, time_field: str) -> None:
    """Clean CORPUS page by page as they come, and in two passes, and report word F1 of both.

    CORPUS is JSON Lines with gold text and several pages a site. Intervals are of 95 %, by drawing sites.
    """
    of_sites = lab.map_in_processes(jobs, _clean_twice, read_sites(corpus, time_field))
    pages = [page for some in of_sites for page in some]
    report.table(
        "Word F1 by page of its site",
        ["page", "pages", "one pass", "two passes", "gain"],
        [_twice_row(name, some) for name, some in _in_bands(pages, _PASS_BANDS)],
        4,
    )


def _clean_twice(site: SitePages) -> list[ReplayedPage]:
    crawled = [
        CrawledPage(
            page.body or b"",
            page.url,
            page.site,
            f"text/html; charset={page.charset}" if page.charset else page.content_type,
            page.status,
        )
        for page in site.pages
    ]
    cleaner = SiteCleaner()
    one_pass = [_clean(cleaner, page) for page in crawled]
    both = [cleaned for _, cleaned in clean_crawl(crawled)]
    replayed = []
    for number, (gold, *outcomes) in enumerate(zip(site.gold, one_pass, both, strict=True), 1):
        if gold is not None:
            scorer = TextScorer(gold, gold.markup())
            texts = ("" if isinstance(one, PageError) else one.text for one in outcomes)
            first, second = (scorer.score(text).f1 for text in texts)
            replayed.append(ReplayedPage(site=site.site, number=number, alone_f1=first, f1=second))
    return replayed


def _clean(cleaner: SiteCleaner, page: CrawledPage) -> CleanedPage | PageError:
    try:
        return cleaner.clean(page.body, page.url, site=page.site, content_type=page.content_type)
    except PageError as error:
        return error


def _twice_row(name: str, pages: Sequence[ReplayedPage]) -> list[lab.Cell]:
    gains = [(page.f1 or 0.0) - (page.alone_f1 or 0.0) for page in pages]
    gain = lab.mean_text(gains, [page.site for page in pages], form="+.4f")
    return [*replay_row(name, pages)[:-1], gain]
