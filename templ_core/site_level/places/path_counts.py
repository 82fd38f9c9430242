"""On how many pages of a cluster each element path occurs, and how similar a page is to the cluster."""

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt64s
from templ_core.site_level.trees._clusters import changed_counts, shared_sum


class PathCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of a cluster that have each element path; columns of equal length.

    >>> import numpy as np
    >>> page = np.array([3, 5, 8], np.uint64)
    >>> cluster = NO_PATHS.changed(page, 1).changed(page[:2], 1)
    >>> cluster.pages.tolist()
    [2, 2, 1]
    >>> round(cluster.likeness(page, 2), 3)
    0.909
    """

    paths: UInt64s
    """Hashes of the paths in ascending order."""
    pages: Int64s
    """Pages that have each path, at least 1."""

    def changed(self, paths: UInt64s, change: int) -> "PathCounts":
        """Return the counts with a page added or taken away.

        Args:
            paths: The page's distinct paths in ascending order.
            change: 1 adds the page, -1 takes it away.
        """
        keys, pages = changed_counts(self.paths, self.pages, paths, change)
        return PathCounts(paths=keys, pages=pages)

    def frequent(self, pages_min: float) -> "PathCounts":
        """Return the paths that at least `pages_min` pages have."""
        kept = self.pages >= pages_min
        return PathCounts(paths=self.paths[kept], pages=self.pages[kept])

    def likeness(self, paths: UInt64s, pages: int) -> float:
        """Return how similar a page is to the cluster, 0 to 1.

        It is Dice's coefficient, in which each path of the cluster weighs the share of pages that
        have it.

        Args:
            paths: The page's distinct paths in ascending order.
            pages: Pages of the cluster, at least 1.
        """
        both, total = shared_sum(self.paths, self.pages, paths)
        return 2 * both / (total + paths.size * pages) if both else 0.0


NO_PATHS = PathCounts(paths=np.empty(0, np.uint64), pages=np.empty(0, np.int64))
"""The counts of a cluster without pages."""
