"""On how many pages of a cluster each element path occurs, and how like a page is to them."""

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt64s
from templ_core.distinct import distinct
from templ_core.site_level.trees._clusters import shared_sum


class PathCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The element paths of a cluster's pages, as columns of equal length.

    >>> counts = NO_PATHS.with_page(np.array([3, 7], np.uint64))
    >>> counts = counts.with_page(np.array([3, 9], np.uint64))
    >>> counts.paths.tolist(), counts.pages.tolist()
    ([3, 7, 9], [2, 1, 1])
    >>> counts.likeness(np.array([3, 7], np.uint64), 2)
    0.75
    """

    paths: UInt64s
    """Hashes in ascending order."""
    pages: Int64s
    """Pages with each path; positive."""

    def with_page(self, paths: UInt64s) -> "PathCounts":
        """Return the counts with one more page, which has these distinct `paths`, ascending."""
        both = distinct(np.concatenate([self.paths, paths]))
        pages = np.zeros(both.size, np.int64)
        pages[np.searchsorted(both, self.paths)] = self.pages
        pages[np.searchsorted(both, paths)] += 1
        return PathCounts(paths=both, pages=pages)

    def frequent(self, pages_min: float) -> "PathCounts":
        """Return the paths on at least `pages_min` pages."""
        kept = self.pages >= pages_min
        return PathCounts(paths=self.paths[kept], pages=self.pages[kept])

    def likeness(self, paths: UInt64s, pages: int) -> float:
        """Return how like a page with these distinct `paths` is to a cluster of `pages` pages, 0 to 1.

        It is Dice's coefficient, with each path of the cluster weighing the share of the cluster's
        pages that have it.
        """
        both, total = shared_sum(self.paths, self.pages, paths)
        return 2 * both / (total + paths.size * pages) if both else 0.0


NO_PATHS = PathCounts(paths=np.empty(0, np.uint64), pages=np.empty(0, np.int64))
"""The counts of no page."""
