"""Which designs a site still shows: a change detector for each cluster of pages.

A page joins the cluster whose latest page is most like it, by the paths of its segments (Dice's
coefficient), or starts a new cluster. Whether pages of a cluster still come is watched by a cumulative sum
(Page, Biometrika 1954) of log-likelihood ratios: that the cluster's share of the pages has fallen to a
tenth, against that it is what it was. Only pages of clusters that began when half of the cluster's pages had
come count against it, so that a run of pages of another old cluster is no alarm, and a page of the cluster
sets the sum to zero: a site that alternates two designs keeps both.

What is found is told to operators and decides on revisions. Pages of a design that has gone go on
teaching until they leave the window: without them the pages of the new one come out worse.
"""

import math
from bisect import bisect
from collections.abc import Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.site_level.window.page_summary import PageSummary

FALLEN_RATIO = 0.1
"""The share of a cluster that has gone is at most this part of what it was."""
SHARE_MAX = 0.8
"""No cluster is taken for more usual: then six pages in a row of a new design are one by chance."""
ALARM = math.log(10_000)
"""Threshold of the sum: without a change an alarm every 10 000 pages of new clusters, or less often."""
CLUSTER_PAGES_MIN = 3
"""Clusters of fewer pages are not watched."""
_CLUSTERS_COMPARED = 16
"""A page is compared with so many clusters, those seen last."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of a window's pages says about its designs."""

    clusters: int
    """Clusters of pages that are still shown."""
    fit: float
    """How like the last page is to the cluster nearest to it, 0 to 1."""
    gone: list[int]
    """Indexes of the pages of clusters that have gone, ascending."""
    changed_at: int | None
    """Index of the first page after a cluster that has gone; None while none has."""


class _Cluster:
    def __init__(self, began: int) -> None:
        self.began = began
        self.pages: list[int] = []
        self.paths: frozenset[int] = frozenset()

    def join(self, index: int, paths: frozenset[int]) -> None:
        self.pages.append(index)
        self.paths = paths

    def likeness(self, paths: frozenset[int]) -> float:
        fewest = min(len(self.paths), len(paths))
        return len(self.paths & paths) / fewest if fewest else 1.0

    def is_gone(self, pages_instead: int) -> bool:
        """Whether the sum is above the alarm after so many pages in place of its own."""
        shown = self.pages[-1] - self.began + 1
        share = min(SHARE_MAX, (len(self.pages) + 1) / (shown + 2))
        step = math.log((1 - FALLEN_RATIO * share) / (1 - share))
        return len(self.pages) >= CLUSTER_PAGES_MIN and pages_instead * step >= ALARM


def find_drift(pages: Sequence[PageSummary], config: CoreConfig) -> Drift:
    """The clusters of pages of a window, and those that have gone.

    Args:
        pages: The window's pages in order of (event time, page id).
        config: The core's thresholds.
    """
    clusters: list[_Cluster] = []
    fit = 1.0
    for index, page in enumerate(pages):
        paths = frozenset(page.places.path.tolist())
        nearest = max(
            clusters[-_CLUSTERS_COMPARED:],
            key=lambda cluster: cluster.likeness(paths),
            default=None,
        )
        fit = nearest.likeness(paths) if nearest else 1.0
        if nearest is None or fit < config.cluster_likeness_min:
            nearest = _Cluster(index)
        else:
            clusters.remove(nearest)
        nearest.join(index, paths)
        clusters.append(nearest)
    gone = [cluster for cluster in clusters if cluster.is_gone(_pages_instead(cluster, clusters))]
    return Drift(
        clusters=len(clusters) - len(gone),
        fit=fit,
        gone=sorted(index for cluster in gone for index in cluster.pages),
        changed_at=1 + max(cluster.pages[-1] for cluster in gone) if gone else None,
    )


def _pages_instead(cluster: _Cluster, clusters: Sequence[_Cluster]) -> int:
    """Pages since the cluster's last one that a change of design explains."""
    last, half = cluster.pages[-1], cluster.pages[len(cluster.pages) // 2]
    return sum(
        len(other.pages) - bisect(other.pages, last) for other in clusters if other.began > half
    )
