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


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Mean word F1 of the same pages in several trainings."""

    f1: list[float]
    """One value for each training."""

    @property
    def widest(self) -> float:
        """Highest minus lowest value."""
        return max(self.f1) - min(self.f1)


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """The spreads of corpora and of their sites with many pages."""

    corpora: dict[str, Spread]
    """By corpus."""
    sites: dict[str, dict[str, Spread]]
    """By corpus, then by site."""


def stability(trainings: Sequence[Sequence[PageResult]]) -> Stability:
    """Return the spreads over at least one training."""
    corpora = sorted({one.corpus for one in trainings[0]})
    sites: dict[str, dict[str, Spread]] = {}
    for corpus in corpora:
        pages = [one.site for one in trainings[0] if one.corpus == corpus]
        large = sorted({site for site in pages if pages.count(site) >= SITE_PAGES_MIN})
        sites[corpus] = {site: _spread(trainings, corpus, site) for site in large}
    return Stability(
        corpora={corpus: _spread(trainings, corpus, None) for corpus in corpora}, sites=sites
    )


def _spread(trainings: Sequence[Sequence[PageResult]], corpus: str, site: str | None) -> Spread:
    return Spread(
        f1=[
            fmean(
                one.f1
                for one in results
                if one.corpus == corpus and (site is None or one.site == site)
            )
            for results in trainings
        ]
    )
