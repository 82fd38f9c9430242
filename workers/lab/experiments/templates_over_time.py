"""`templ experiments templates-over-time`: the share of pages that is template, by year."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.lab.training.labels import site_labels
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.corpora import corpus_page, records_with
from workers.lab.plots import line_chart

MEASURES = ("HTML", "words", "links")
_PARTS = ("template", "content")
_DATE = "snapshot"
"""Field of the date, whose first four digits are the year."""
_PAPER = ("40 to 50 %, +6 % a year", "30 %", "30 %")
"""Gibson, Punera and Tomkins (WWW 2005), as the four papers quote them."""


class DatedSite(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a site's pages is template, at one date."""

    site: str
    year: int
    pages: int
    """Number of different pages."""
    shares: list[float]
    """Share of the HTML, the words and the links that is template, each 0 to 1, as in `MEASURES`."""
    content_words: float
    """Words of a page that are not template."""
    template_words: float
    """Words of a page that are template."""


@lab.command("Share of pages that is template, by year.", name="templates-over-time")
@lab.corpora
def templates_over_time(report: lab.Report, corpora: Sequence[Path]) -> None:
    """Measure which share of the HTML, the words and the links of pages is template, by year.

    Template is what a tenth of a site's pages of one date have, and at least three pages
    (SITELEVEL). HTML are characters of markup and text, without scripts, styles and comments.
    The yearly growth of a share is that of an exponential curve through the dates of a site.

    CORPORA are JSON Lines with `html` and a date in `snapshot`, and need 12 or more different pages of a site and
    date.
    """
    sites = [
        measure_site(site, year, pages)
        for (_, site, year), pages in lab.tracked(_read(corpora), "counting")
        if len(pages) >= site_labels.PAGES_PER_SITE_MIN
    ]
    if not sites:
        raise InputProblem(
            f"no site has {site_labels.PAGES_PER_SITE_MIN} different pages of one year in the field `{_DATE}`"
        )
    _report_years(report, sites)
    _report_growth(report, sites)


def _read(
    corpora: Sequence[Path],
) -> Iterator[tuple[tuple[str, str, int], list[site_labels.ReadPage]]]:
    """Yield the pages of each corpus, site and year, without near-duplicates."""
    groups: defaultdict[tuple[str, str, int], list[site_labels.CorpusPage]] = defaultdict(list)
    for corpus in corpora:
        for record in records_with([corpus], _DATE):
            digits = str(record[_DATE])[:4]
            if digits.isdecimal():
                page = corpus_page(corpus, record)
                groups[page.corpus, page.site, int(digits)].append(page)
    for key in sorted(groups):
        yield key, site_labels.parse_site_pages(groups.pop(key))


def measure_site(site: str, year: int, pages: Sequence[site_labels.ReadPage]) -> DatedSite:
    """Return the shares of template of the pages of a site that are of one date."""
    frequency = site_labels.count_site(pages)
    template, total = np.zeros(len(MEASURES)), np.zeros(len(MEASURES))
    for page in pages:
        labels = site_labels.site_labels(page, frequency)
        text, links = page.words.per_segment, page.document.segments.links
        markup_chars = page.presentation.markup_chars.sum()
        html_chars = float(markup_chars + sum(map(len, page.document.segments.texts)))
        amounts = html_chars, float(text.sum()), float(links.sum())
        total += amounts
        template += (
            labels.covered[0] * amounts[0],
            text[labels.template_segment].sum(),
            links[labels.template_segment].sum(),
        )
    shares: Floats = template / np.maximum(total, 1)
    return DatedSite(
        site=site,
        year=year,
        pages=len(pages),
        shares=shares.tolist(),
        content_words=float(total[1] - template[1]) / len(pages),
        template_words=float(template[1]) / len(pages),
    )


def yearly_growth(sites: Sequence[DatedSite]) -> dict[str, list[float]]:
    """Return the growth of each share in a year, for every site that has several years.

    A growth of 0.06 means that the share is 6 % larger a year later. A site without template in
    some year has no growth.
    """
    growth: dict[str, list[float]] = {name: [] for name in MEASURES}
    for _, same in groupby(sorted(sites, key=lambda one: one.site), key=lambda one: one.site):
        some = list(same)
        years = [one.year for one in some]
        for number, name in enumerate(MEASURES):
            shares = [one.shares[number] for one in some]
            if len(set(years)) > 1 and min(shares) > 0:
                slope = np.polyfit(years, np.log(shares), 1)[0]
                growth[name].append(math.expm1(slope))
    return growth


def _report_years(report: lab.Report, sites: Sequence[DatedSite]) -> None:
    rows: list[list[lab.Cell]] = []
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    for year, same in groupby(sorted(sites, key=lambda one: one.year), key=lambda one: one.year):
        some = list(same)
        means = np.mean([one.shares for one in some], axis=0).tolist()
        for points, mean in zip(lines.values(), means, strict=True):
            points.append((year, mean))
        words = (fmean(getattr(one, f"{part}_words") for one in some) for part in _PARTS)
        rows.append([year, len(some), sum(one.pages for one in some), *means, *map(round, words)])
    header = ["year", "sites", "pages", *MEASURES, *(f"words of {part} a page" for part in _PARTS)]
    report.table("share of template, mean over sites", header, rows)
    chart = line_chart("share of template by year", "year", "share", lines)
    report.figure("templates-over-time", chart)


def _report_growth(report: lab.Report, sites: Sequence[DatedSite]) -> None:
    growth = yearly_growth(sites)
    names = [str(number) for number in range(len(sites))]
    rows: list[list[lab.Cell]] = [
        [
            measure,
            lab.mean_text([one.shares[number] for one in sites], [one.site for one in sites]),
            lab.mean_text(some, names[: len(some)], form="+.1%"),
            _PAPER[number],
        ]
        for number, (measure, some) in enumerate(growth.items())
    ]
    header = ["", "share of template", "growth in a year", "Gibson et al. (2005)"]
    report.table("all years, with intervals of 95 % by drawing sites", header, rows)
