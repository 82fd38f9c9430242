"""What a trained model scores on pages of sites it has not seen."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

import msgspec

CONFIDENCE_BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


class PageResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one page scored, each figure 0 to 1; a page that cannot be read scores 0."""

    corpus: str
    site: str
    kind: str
    f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    confidence: float = 0.0
    """F1 that was expected."""


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """Means over pages, and over sites."""

    pages: int
    sites: int
    f1: float
    precision: float
    recall: float
    site_f1: float
    """Mean over sites of the mean F1 of their pages."""
    below_half: float
    """Share of pages with F1 below 0.5."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Pages whose expected F1 lies in one range."""

    up_to: float
    pages: int
    expected: float
    found: float


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """Word F1 of nested cross-validation by site."""

    corpora: dict[str, Means]
    kinds: dict[str, dict[str, Means]]
    """By corpus, then by kind of page, where a corpus has several."""
    calibration: dict[str, list[Calibration]]
    """By corpus."""


def measure(results: Sequence[PageResult]) -> Quality:
    """The figures of at least one page."""
    by_corpus = _groups(results, lambda result: result.corpus)
    kinds = {name: _groups(some, lambda result: result.kind) for name, some in by_corpus.items()}
    return Quality(
        corpora={name: _means(some) for name, some in by_corpus.items()},
        kinds={
            name: {kind: _means(pages) for kind, pages in some.items()}
            for name, some in kinds.items()
            if len(some) > 1
        },
        calibration={name: _calibration(some) for name, some in by_corpus.items()},
    )


def _groups(
    results: Iterable[PageResult], key: Callable[[PageResult], Any]
) -> dict[str, list[PageResult]]:
    groups: dict[str, list[PageResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return dict(sorted(groups.items()))


def _means(results: Sequence[PageResult]) -> Means:
    sites = _groups(results, lambda result: result.site)
    return Means(
        pages=len(results),
        sites=len(sites),
        f1=fmean(result.f1 for result in results),
        precision=fmean(result.precision for result in results),
        recall=fmean(result.recall for result in results),
        site_f1=fmean(fmean(result.f1 for result in some) for some in sites.values()),
        below_half=fmean(result.f1 < 0.5 for result in results),
    )


def _calibration(results: Sequence[PageResult]) -> list[Calibration]:
    rows = []
    low = 0.0
    for high in CONFIDENCE_BINS:
        some = [one for one in results if low < one.confidence <= high]
        if some:
            rows.append(
                Calibration(
                    up_to=high,
                    pages=len(some),
                    expected=fmean(one.confidence for one in some),
                    found=fmean(one.f1 for one in some),
                )
            )
        low = high
    return rows
