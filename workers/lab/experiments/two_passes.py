"""`templ experiments two-passes`: what a whole crawl gains when each site is learned before it is cleaned."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from templ_core import CleanedPage, CrawledPage, SampleBounds, SiteCleaner, clean_crawl
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import bootstrap
from workers.feeds.files import read_feed
from workers.lab.corpora import read_objects
from workers.lab.evaluation.corpus_files import EvaluationPage, read_evaluation_pages
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.results import Report
from workers.lab.job_processes import map_in_processes
from workers.lab.options import corpus_argument, jobs_option, option, out_option, time_field_option
from workers.page import Page

_BANDS = {
    "1": (1, 1),
    "1-5": (1, 5),
    "6-25": (6, 25),
    "26-": (26, 1 << 30),
    "all": (1, 1 << 30),
}
_SEED = 0


class TwiceCleaned(msgspec.Struct, frozen=True):
    """Word F1 of one page."""

    site: str
    number: int
    """Position of the page among the pages of its site, from 1."""
    one_pass: float
    two_passes: float


@click.command("two-passes", short_help="Measure cleaning in two passes.")
@corpus_argument
@option(
    "--sample",
    default=SampleBounds().pages_max,
    help="Most pages of a site that are held and learned from.",
)
@jobs_option
@time_field_option()
@out_option
def two_passes(corpus: Path, sample: int, jobs: int, time_field: str, out: Path | None) -> None:
    """Clean CORPUS page by page as they come, and in two passes, and report word F1 of both.

    CORPUS is JSON Lines with gold text and several pages a site. Intervals are of 95 %, by drawing sites.
    """
    gold = {page.offset: page for page in read_evaluation_pages(corpus.name, read_objects(corpus))}
    sites: dict[str, list[Page]] = {}
    for page in read_feed([corpus], time_field=time_field):
        if isinstance(page, Page):
            sites.setdefault(page.site, []).append(page)
    wanted = [[gold.get(page.source.offset) for page in pages] for pages in sites.values()]
    bounds = [SampleBounds(pages_max=sample)] * len(wanted)
    found = map_in_processes(jobs, _clean_twice, list(sites.values()), wanted, bounds)
    pages = [page for some in found for page in some]
    Report(out).table(
        "Word F1 by page of its site",
        ["page", "pages", "one pass", "two passes", "gain"],
        [
            _row(name, [page for page in pages if first <= page.number <= last])
            for name, (first, last) in _BANDS.items()
        ],
    )


def _clean_twice(
    pages: Sequence[Page], gold: Sequence[EvaluationPage | None], bounds: SampleBounds
) -> list[TwiceCleaned]:
    crawled = [
        CrawledPage(page.url, page.body or b"", page.site, _content_type(page), page.status)
        for page in pages
    ]
    cleaner = SiteCleaner()
    one_pass = [_clean(cleaner, page) for page in crawled]
    outcomes = [outcome.cleaned for outcome in clean_crawl(crawled, sample=bounds)]
    found = []
    for number, wanted in enumerate(gold, 1):
        if wanted is not None:
            scorer = TextScorer(wanted, page_markup(wanted))
            texts = _texts((one_pass[number - 1], outcomes[number - 1]))
            found.append(
                TwiceCleaned(pages[0].site, number, *(scorer.score(text).f1 for text in texts))
            )
    return found


def _content_type(page: Page) -> str | None:
    return f"text/html; charset={page.charset}" if page.charset else page.content_type


def _clean(cleaner: SiteCleaner, page: CrawledPage) -> CleanedPage | PageError:
    try:
        return cleaner.clean(page.url, page.body, site=page.site, content_type=page.content_type)
    except PageError as error:
        return error


def _texts(outcomes: Iterable[CleanedPage | PageError]) -> list[str]:
    return ["" if isinstance(one, PageError) else one.text for one in outcomes]


def _row(name: str, pages: Sequence[TwiceCleaned]) -> list[str]:
    if not pages:
        return [name, "0", "", "", ""]
    sites = [page.site for page in pages]
    gains = bootstrap([page.two_passes - page.one_pass for page in pages], sites, _SEED)
    width = gains.pages_interval
    interval = f" ({width.low:+.4f} to {width.high:+.4f})" if width else ""
    means = [
        bootstrap([getattr(page, field) for page in pages], sites, _SEED).of_pages
        for field in ("one_pass", "two_passes")
    ]
    return [
        name,
        str(len(pages)),
        *(f"{one:.4f}" for one in means),
        f"{gains.of_pages:+.4f}{interval}",
    ]
