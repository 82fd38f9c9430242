"""On how many pages of a kind each element path occurs, and how like a page is to them."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.site_level.frequency import UInt64s

Int64s = npt.NDArray[np.int64]


class PathCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of equal length."""

    paths: UInt64s
    """Hashes in ascending order."""
    pages: Int64s
    """Pages with each path; positive."""

    def changed(self, paths: UInt64s, change: int) -> "PathCounts":
        """The counts with a page's distinct `paths` added (`change` 1) or taken away (-1)."""
        together = np.concatenate([self.paths, paths])
        counts = np.concatenate([self.pages, np.full(paths.size, change)])
        order = np.argsort(together, kind="stable")
        together, counts = together[order], counts[order]
        first = np.ones(together.size, np.bool_)
        first[1:] = together[1:] != together[:-1]
        starts = np.flatnonzero(first)
        sums = np.add.reduceat(counts, starts) if starts.size else counts
        return PathCounts(paths=together[starts], pages=sums).frequent(1)

    def frequent(self, pages_min: float) -> "PathCounts":
        """The paths on at least `pages_min` pages."""
        kept = self.pages >= pages_min
        return PathCounts(paths=self.paths[kept], pages=self.pages[kept])

    def likeness(self, paths: UInt64s, pages: int) -> float:
        """How like a page with these distinct `paths` is to a kind of `pages` pages, 0 to 1.

        Dice's coefficient, each path of the kind weighing the share of pages that have it.
        """
        if not self.paths.size or not paths.size:
            return 0.0
        place = np.minimum(np.searchsorted(self.paths, paths), self.paths.size - 1)
        both = int(self.pages[place][self.paths[place] == paths].sum())
        return 2 * both / (int(self.pages.sum()) + paths.size * pages)


NO_PATHS = PathCounts(paths=np.empty(0, np.uint64), pages=np.empty(0, np.int64))
