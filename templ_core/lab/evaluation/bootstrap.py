"""How far a mean would move with other sites: the bootstrap over sites."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats

RESAMPLES = 1000
_LEVEL = 0.95


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """The middle 95 % of the resampled means."""

    low: float
    high: float


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over pages and one over sites, each with its interval; None with fewer than 2 sites."""

    of_pages: float
    of_sites: float
    pages_interval: Interval | None
    sites_interval: Interval | None


def bootstrap(values: Sequence[float], sites: Sequence[str], seed: int) -> Means:
    """Means of at least one value, with intervals from drawing whole sites with replacement.

    Pages of a site are alike, so drawing pages would make the intervals too narrow.

    Args:
        values: One value a page.
        sites: The site of each page.
        seed: Same seed, same intervals.
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
    return Means(
        of_pages=float(sums.sum() / counts.sum()),
        of_sites=float(of_sites.mean()),
        pages_interval=pages_interval,
        sites_interval=sites_interval,
    )


def mean_interval(values: Sequence[float], seed: int) -> Interval:
    """Interval of the mean of at least one value, from drawing values with replacement.

    Of differences between two methods page by page this is the paired bootstrap.

    Args:
        values: In any order.
        seed: Same seed, same interval.
    """
    some = np.asarray(values, np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(some), (RESAMPLES, len(some)))
    return _interval(some[drawn].mean(axis=1))


def _interval(means: Floats) -> Interval:
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(low=float(low), high=float(high))
