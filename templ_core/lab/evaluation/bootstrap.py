"""Bootstrap confidence intervals of means, by drawing whole sites with replacement."""

from collections.abc import Sequence

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

    Args:
        values: One value for each page.
        sites: The site of each page.
        seed: Seed of the random generator; equal seeds give equal intervals.
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

    Args:
        values: The values in any order.
        seed: Seed of the random generator; equal seeds give equal intervals.
    """
    some = np.asarray(values, np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(some), (RESAMPLES, len(some)))
    return _interval(some[drawn].mean(axis=1))


def _interval(means: Floats) -> Interval:
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(low=float(low), high=float(high))
