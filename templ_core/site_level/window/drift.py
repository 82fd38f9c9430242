"""Whether a site has changed its design: a change detector for each cluster of its pages.

A page joins the cluster whose latest page is most like it, by the overlap of the paths of their segments,
or starts a new cluster. Whether pages of a cluster still come is watched by a cumulative sum (Page,
Biometrika 1954) of log-likelihood ratios: that no pages of the cluster come any more,
against that its share is what it was. Only pages of clusters that began when half of the cluster's pages had
come count against it, so that a run of pages of another old cluster raises no alarm, and a page of the
cluster sets the sum to zero: a site that alternates two designs keeps both.

What is found is reported to operators, and decides on revisions. Pages of a design that is no longer used are still
learned from until they leave the window: without them the pages of the new one come out worse.
"""

import math
from bisect import bisect
from collections.abc import Sequence

import msgspec

from templ_core.array_types import UInt64s
from templ_core.site_level._keyed_sums import clustered
from templ_core.site_level.config import (
    DRIFT_CONFIG,
    REVISIONS_CONFIG,
    SCHEDULE_CONFIG,
    TREES_CONFIG,
)


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of a window's pages says about its designs."""

    fit: float
    """How like the last page is to the cluster nearest to it, 0 to 1."""
    changed_at: int | None
    """Index of the first page after the last cluster that has gone; None while none has."""
    gone: Sequence[int] = ()
    """Indexes of the pages of that cluster, the latest ones at most."""


def find_drift(pages: Sequence[UInt64s]) -> Drift:
    """Return how the last page fits the clusters before it, and since when a design has gone.

    >>> import numpy as np
    >>> old, new = np.array([1], np.uint64), np.array([2], np.uint64)
    >>> found = find_drift([old] * 50 + [new] * 10)
    >>> found.fit, found.changed_at, found.gone[-2:]
    (1.0, 50, [48, 49])

    Args:
        pages: The different paths of each page, ascending, in the order of the window.
    """
    clusters, fit = clustered(pages, DRIFT_CONFIG.likeness_min, TREES_CONFIG.clusters_max)
    gone = [cluster for cluster in clusters if _is_gone(cluster, clusters)]
    if not gone:
        return Drift(fit=fit, changed_at=None)
    latest = max(gone, key=lambda pages: pages[-1])
    return Drift(
        fit=fit, changed_at=1 + latest[-1], gone=latest[-REVISIONS_CONFIG.settled_documents :]
    )


def _is_gone(cluster: Sequence[int], clusters: Sequence[Sequence[int]]) -> bool:
    """Return whether the sum of a cluster, given by its pages as all are, is above the alarm."""
    if len(cluster) < SCHEDULE_CONFIG.design_documents:
        return False
    shown = cluster[-1] - cluster[0] + 1
    share = min(DRIFT_CONFIG.share_max, (len(cluster) + 1) / (shown + 2))
    return _pages_instead(cluster, clusters) * -math.log(1 - share) >= DRIFT_CONFIG.alarm_log_ratio


def _pages_instead(cluster: Sequence[int], clusters: Sequence[Sequence[int]]) -> int:
    """Return how many pages since the cluster's last one a change of design explains."""
    last, half = cluster[-1], cluster[len(cluster) // 2]
    return sum(len(other) - bisect(other, last) for other in clusters if other[0] > half)
