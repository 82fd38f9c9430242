"""Whether a site has changed its design: a change detector for each cluster of its pages.

A page joins the cluster whose latest page is most like it, by the overlap of the paths of their segments,
or starts a new cluster. Whether pages of a cluster still come is watched by a cumulative sum (Page,
Biometrika 1954) of log-likelihood ratios: that no pages of the cluster come any more,
against that its share is what it was. Only pages of clusters that began when half of the cluster's pages had
come count against it, so that a run of pages of another old cluster raises no alarm, and a page of the
cluster sets the sum to zero: a site that alternates two designs keeps both.

Operators are told what is found, and it decides on revisions. Pages of a design that has gone are still
learned from until they leave the window: without them the pages of the new one come out worse.
"""

import math
import operator
from bisect import bisect
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import UInt64s
from templ_core.config import CoreConfig
from templ_core.site_level.config import DRIFT, SCHEDULE, TREES
from templ_core.site_level.places._keyed_sums import overlaps


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of a window's pages says about its designs."""

    fit: float
    """How like the last page is to the cluster nearest to it, 0 to 1."""
    changed_at: int | None
    """Index of the first page after the last cluster that has gone; None while none has."""
    gone: Sequence[int] = ()
    """Indexes of the pages of that cluster, the latest ones at most."""


class _WatchedCluster:
    """A cluster of pages, and what its detector needs."""

    def __init__(self, began: int) -> None:
        self.began = began
        self.pages: list[int] = []
        self.paths: UInt64s = np.empty(0, np.uint64)

    def join(self, index: int, paths: UInt64s) -> None:
        self.pages.append(index)
        self.paths = paths

    def is_gone(self, pages_instead: int) -> bool:
        """Return whether the sum is above the alarm after so many pages in place of its own."""
        shown = self.pages[-1] - self.began + 1
        share = min(DRIFT.share_max, (len(self.pages) + 1) / (shown + 2))
        is_design = len(self.pages) >= SCHEDULE.design_documents
        return is_design and pages_instead * -math.log(1 - share) >= DRIFT.alarm


class DriftDetector:
    """Looks at each page of a growing window once, and at all of them again where others come or leave.

    >>> old, new = np.array([1], np.uint64), np.array([2], np.uint64)
    >>> found = DriftDetector(CoreConfig()).follow([old] * 50 + [new] * 10)
    >>> found.fit, found.changed_at, found.gone[-2:]
    (1.0, 50, [48, 49])
    """

    def __init__(self, config: CoreConfig) -> None:
        """Begin without pages; the configuration says how like a page must be to join a cluster."""
        self._likeness_min = config.cluster_likeness_min
        self._begin()

    def _begin(self) -> None:
        self._pages: list[UInt64s] = []
        self._clusters: list[_WatchedCluster] = []
        self._fit = 1.0

    def follow(self, pages: Sequence[UInt64s]) -> Drift:
        """Return how the last page fits the clusters before it, and since when a design has gone.

        It depends on these pages alone, not on those of earlier calls.

        Args:
            pages: The different paths of each page, ascending, in the order of the window. A page that was seen
                before is the same array.
        """
        seen = len(self._pages)
        if seen > len(pages) or any(map(operator.is_not, self._pages, pages)):
            self._begin()
            seen = 0
        for paths in pages[seen:]:
            self._look_at(paths)
        clusters = self._clusters
        gone = [
            cluster.pages
            for cluster in clusters
            if cluster.is_gone(_pages_instead(cluster, clusters))
        ]
        if not gone:
            return Drift(fit=self._fit, changed_at=None)
        latest = max(gone, key=lambda pages: pages[-1])
        return Drift(fit=self._fit, changed_at=1 + latest[-1], gone=latest[-DRIFT.pages_compared :])

    def _look_at(self, paths: UInt64s) -> None:
        clusters, index = self._clusters, len(self._pages)
        self._pages.append(paths)
        compared = clusters[-TREES.clusters_max :]
        likenesses = overlaps(paths, [cluster.paths for cluster in compared])
        self._fit = max(likenesses, default=1.0)
        if not compared or self._fit < self._likeness_min:
            nearest = _WatchedCluster(index)
        else:
            nearest = compared[likenesses.index(self._fit)]
            clusters.remove(nearest)
        nearest.join(index, paths)
        clusters.append(nearest)


def _pages_instead(cluster: _WatchedCluster, clusters: Sequence[_WatchedCluster]) -> int:
    """Return how many pages since the cluster's last one a change of design explains."""
    last, half = cluster.pages[-1], cluster.pages[len(cluster.pages) // 2]
    return sum(
        len(other.pages) - bisect(other.pages, last) for other in clusters if other.began > half
    )
