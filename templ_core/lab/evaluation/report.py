"""Means of the scores of many pages, with bootstrap intervals that draw whole sites with replacement."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec
import numpy as np

from templ_core.array_types import Floats

RESAMPLES = 1000
"""Number of bootstrap samples behind each interval."""
_LEVEL = 0.95


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A 95 % confidence interval: the middle 95 % of the means of the bootstrap samples."""

    low: float
    high: float


class BootstrapMeans(msgspec.Struct, frozen=True, kw_only=True):
    """The mean over pages and the mean over sites, each with its confidence interval."""

    of_pages: float
    """Mean over all pages."""
    of_sites: float
    """Mean over sites of the mean of each site's pages."""
    pages_interval: Interval | None
    """None for fewer than 2 sites."""
    sites_interval: Interval | None
    """None for fewer than 2 sites."""


def bootstrap(values: Sequence[float], sites: Sequence[str], seed: int) -> BootstrapMeans:
    """Return the means of at least one value, with intervals from a bootstrap over sites.

    Pages of one site are alike. Drawing pages instead of sites would make the intervals too narrow.

    >>> means = bootstrap([1.0, 1.0, 0.4], ["a.org", "a.org", "b.org"], seed=0)
    >>> round(means.of_pages, 2), round(means.of_sites, 2)
    (0.8, 0.7)
    >>> means.sites_interval
    Interval(low=0.4, high=1.0)
    """
    number = np.unique(np.array(sites, dtype=np.str_), return_inverse=True)[1]
    counts = np.bincount(number).astype(np.float64)
    sums = np.bincount(number, np.asarray(values, np.float64))
    size = len(counts)
    of_sites = sums / counts
    pages_interval = sites_interval = None
    if size > 1:
        drawn = np.random.default_rng(seed).integers(0, size, (RESAMPLES, size))
        pages_interval = _interval(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
        sites_interval = _interval(of_sites[drawn].mean(axis=1))
    return BootstrapMeans(
        of_pages=float(sums.sum() / counts.sum()),
        of_sites=float(of_sites.mean()),
        pages_interval=pages_interval,
        sites_interval=sites_interval,
    )


def mean_interval(values: Sequence[float], seed: int) -> Interval:
    """Return the interval of the mean of at least one value, by drawing single values.

    If the values are differences between two methods, page by page, this is the paired bootstrap.
    """
    some = np.asarray(values, np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(some), (RESAMPLES, len(some)))
    return _interval(some[drawn].mean(axis=1))


def _interval(means: Floats) -> Interval:
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(low=float(low), high=float(high))


SEEN_BINS = (("1-5", 5), ("6-10", 10), ("11-25", 25), ("26-50", 50), ("51+", 1 << 62))
"""Name and last page number of each group of pages, by how many pages of the site had arrived."""

Item = TypeVar("Item")
Key = TypeVar("Key")


class PageScore(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one page; scores are 0 to 1."""

    corpus: str = ""
    site: str
    page_type: str = ""
    """Page type as the corpus names it; empty if it names none."""
    seen: int
    """Number of the page among those of its site, from 1, in order of arrival."""
    f1: float
    precision: float
    recall: float
    character_f1: float | None = None
    """F1 over letters, for scripts without blanks between words; else None."""
    template_f: float | None
    """F1 of what was removed; None for pages with too little template."""
    full_text_f1: float
    """Word F1 that the whole visible text would score."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Mean scores over pages and over sites, with bootstrap confidence intervals over sites."""

    pages: int
    sites: int
    f1: float
    f1_interval: Interval | None
    precision: float
    recall: float
    character_f1: float | None
    """Mean over the pages that have it."""
    template_f: float | None
    full_text_f1: float
    site_f1: float
    """Mean over sites of the mean F1 of their pages."""
    site_f1_interval: Interval | None
    below_half: float
    """Share of pages with F1 below 0.5."""


def summarise(scores: Sequence[PageScore], seed: int = 0) -> Summary:
    """Return the mean scores of at least one page."""
    f1 = bootstrap([score.f1 for score in scores], [score.site for score in scores], seed)
    return Summary(
        pages=len(scores),
        sites=len({score.site for score in scores}),
        f1=f1.of_pages,
        f1_interval=f1.pages_interval,
        precision=fmean(score.precision for score in scores),
        recall=fmean(score.recall for score in scores),
        character_f1=_mean_known(score.character_f1 for score in scores),
        template_f=_mean_known(score.template_f for score in scores),
        full_text_f1=fmean(score.full_text_f1 for score in scores),
        site_f1=f1.of_sites,
        site_f1_interval=f1.sites_interval,
        below_half=fmean(score.f1 < 0.5 for score in scores),
    )


def compare(
    scores: Sequence[PageScore], others: Sequence[PageScore], seed: int = 0
) -> BootstrapMeans:
    """Return the mean difference in F1 of two systems on the same pages, in the same order."""
    differences = [one.f1 - other.f1 for one, other in zip(scores, others, strict=True)]
    return bootstrap(differences, [score.site for score in scores], seed)


def group_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items in groups of equal keys, in the order in which the groups begin.

    >>> group_by(["ant", "bat", "ape"], lambda word: word[0])
    {'a': ['ant', 'ape'], 'b': ['bat']}
    """
    groups: defaultdict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def group(scores: Iterable[Item], field: str) -> dict[str, list[Item]]:
    """Return the scores grouped by the value of one of their fields, in ascending order of it."""
    return dict(sorted(group_by(scores, lambda score: str(getattr(score, field))).items()))


def by_pages_seen(scores: Iterable[PageScore]) -> dict[str, list[PageScore]]:
    """Return the scores grouped by how many pages of the site had arrived, as in SEEN_BINS."""
    groups = group_by(
        scores, lambda score: next(name for name, last in SEEN_BINS if score.seen <= last)
    )
    return {name: groups[name] for name, _ in SEEN_BINS if name in groups}


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
