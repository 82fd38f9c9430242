"""The quality of a trained page model on pages of sites it has not seen."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from templ_core.lab.evaluation.curves import Calibration, calibrate
from templ_core.lab.evaluation.report import group


class PageResult(msgspec.Struct, frozen=True, kw_only=True):
    """The held-out scores of one page, each 0 to 1; a page that cannot be read scores 0."""

    corpus: str
    site: str
    page_type: str
    """Page type as the corpus names it; empty if it names none."""
    language: str = ""
    """Language of its gold text; empty if it could not be read."""
    f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    confidence: float = 0.0
    """Word F1 that the model expected."""


class QualityMeans(msgspec.Struct, frozen=True, kw_only=True):
    """Mean scores over pages and over sites."""

    pages: int
    sites: int
    f1: float
    precision: float
    recall: float
    site_f1: float
    """Mean over sites of the mean F1 of their pages."""
    below_half: float
    """Share of pages with F1 below 0.5."""


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """Word F1 of nested cross-validation by site; written as JSON beside a page model."""

    corpora: dict[str, QualityMeans]
    """By corpus."""
    page_types: dict[str, dict[str, QualityMeans]] = msgspec.field(name="kinds")
    """By corpus, then by page type; only corpora with several page types."""
    languages: dict[str, dict[str, QualityMeans]]
    """By corpus, then by language; only corpora with several languages."""
    calibration: dict[str, Calibration]
    """By corpus."""


def measure(results: Sequence[PageResult]) -> Quality:
    """Return the quality over at least one page."""
    by_corpus = group(results, "corpus")
    return Quality(
        corpora={name: _means(some) for name, some in by_corpus.items()},
        page_types=_by_field(by_corpus, "page_type"),
        languages=_by_field(by_corpus, "language"),
        calibration={
            name: calibrate([one.confidence for one in some], [one.f1 for one in some])
            for name, some in by_corpus.items()
        },
    )


def _by_field(
    by_corpus: dict[str, list[PageResult]], field: str
) -> dict[str, dict[str, QualityMeans]]:
    """Return the means by the values of a field, of corpora with several of them."""
    groups = {corpus: group(some, field) for corpus, some in by_corpus.items()}
    return {
        corpus: {value: _means(pages) for value, pages in some.items()}
        for corpus, some in groups.items()
        if len(some) > 1
    }


def _means(results: Sequence[PageResult]) -> QualityMeans:
    sites = group(results, "site")
    return QualityMeans(
        pages=len(results),
        sites=len(sites),
        f1=fmean(result.f1 for result in results),
        precision=fmean(result.precision for result in results),
        recall=fmean(result.recall for result in results),
        site_f1=fmean(fmean(result.f1 for result in some) for some in sites.values()),
        below_half=fmean(result.f1 < 0.5 for result in results),
    )


SITE_PAGES_MIN = 20
"""Sites with fewer pages are left out."""
SITE_SPREAD_MAX = 0.03
"""Sites with a larger spread of mean F1 are reported as unstable."""


F1s = list[float]
"""Mean word F1 of the same pages in each of several trainings."""


def spread(f1: F1s) -> float:
    """Return the highest minus the lowest value."""
    return max(f1) - min(f1)


def stability(trainings: Sequence[Sequence[PageResult]]) -> dict[str, tuple[F1s, dict[str, F1s]]]:
    """Return the results of each corpus in each training, and those of its sites with many pages."""
    of_corpora = [group(results, "corpus") for results in trainings]
    by_corpus = {}
    for corpus in of_corpora[0]:
        of_sites = [group(one[corpus], "site") for one in of_corpora]
        large = [site for site, pages in of_sites[0].items() if len(pages) >= SITE_PAGES_MIN]
        sites = {site: [_mean_f1(one[site]) for one in of_sites] for site in large}
        by_corpus[corpus] = [_mean_f1(one[corpus]) for one in of_corpora], sites
    return by_corpus


def _mean_f1(results: Sequence[PageResult]) -> float:
    return fmean(one.f1 for one in results)
