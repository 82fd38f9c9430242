"""On how many pages of a cluster each element path occurs, and how like a page is to them."""

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt64s
from templ_core.site_level.trees._clusters import changed_counts, shared_sum


class PathCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of equal length."""

    paths: UInt64s
    """Hashes in ascending order."""
    pages: Int64s
    """Pages with each path; positive."""

    def changed(self, paths: UInt64s, change: int) -> "PathCounts":
        """The counts with a page's distinct `paths` added (`change` 1) or taken away (-1)."""
        keys, pages = changed_counts(self.paths, self.pages, paths, change)
        return PathCounts(paths=keys, pages=pages)

    def frequent(self, pages_min: float) -> "PathCounts":
        """The paths on at least `pages_min` pages."""
        kept = self.pages >= pages_min
        return PathCounts(paths=self.paths[kept], pages=self.pages[kept])

    def likeness(self, paths: UInt64s, pages: int) -> float:
        """How like a page with these distinct `paths` is to a cluster of `pages` pages, 0 to 1.

        Dice's coefficient, each path of the cluster weighing the share of pages that have it.
        """
        both, total = shared_sum(self.paths, self.pages, paths)
        return 2 * both / (total + paths.size * pages) if both else 0.0


NO_PATHS = PathCounts(paths=np.empty(0, np.uint64), pages=np.empty(0, np.int64))
