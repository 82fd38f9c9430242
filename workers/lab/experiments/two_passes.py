"""`templ experiments two-passes`: what a whole crawl gains when each site is learned before it is cleaned."""

from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from statistics import fmean

import click
import msgspec

from templ_core import CleanedPage, CrawledPage, SampleBounds, SiteCleaner, clean_crawl
from templ_core.errors import PageError
from workers.lab.evaluation.corpus_files import SitePages, read_sites
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.results import Cell, Report, mean_text
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
    sites = read_sites(corpus, time_field)
    found = map_in_processes(jobs, _clean_twice, sites, repeat(SampleBounds(pages_max=sample)))
    pages = [page for some in found for page in some]
    Report(out).table(
        "Word F1 by page of its site",
        ["page", "pages", "one pass", "two passes", "gain"],
        [
            _row(name, [page for page in pages if first <= page.number <= last])
            for name, (first, last) in _BANDS.items()
        ],
        4,
    )


def _clean_twice(site: SitePages, bounds: SampleBounds) -> list[TwiceCleaned]:
    crawled = [
        CrawledPage(page.url, page.body or b"", page.site, _content_type(page), page.status)
        for page in site.pages
    ]
    cleaner = SiteCleaner()
    one_pass = [_clean(cleaner, page) for page in crawled]
    both = [outcome.cleaned for outcome in clean_crawl(crawled, sample=bounds)]
    found = []
    for number, (gold, *outcomes) in enumerate(zip(site.gold, one_pass, both, strict=True), 1):
        if gold is not None:
            scorer = TextScorer(gold, page_markup(gold))
            texts = ["" if isinstance(one, PageError) else one.text for one in outcomes]
            found.append(
                TwiceCleaned(site.site, number, *(scorer.score(text).f1 for text in texts))
            )
    return found


def _content_type(page: Page) -> str | None:
    return f"text/html; charset={page.charset}" if page.charset else page.content_type


def _clean(cleaner: SiteCleaner, page: CrawledPage) -> CleanedPage | PageError:
    try:
        return cleaner.clean(page.url, page.body, site=page.site, content_type=page.content_type)
    except PageError as error:
        return error


def _row(name: str, pages: Sequence[TwiceCleaned]) -> list[Cell]:
    if not pages:
        return [name, 0, None, None, None]
    sites = [page.site for page in pages]
    gains = [page.two_passes - page.one_pass for page in pages]
    return [
        name,
        len(pages),
        fmean(page.one_pass for page in pages),
        fmean(page.two_passes for page in pages),
        mean_text(gains, sites, form="+.4f"),
    ]
