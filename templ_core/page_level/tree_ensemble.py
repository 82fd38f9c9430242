"""A sum of small decision trees (gradient boosting, Friedman 2001), evaluated on all rows at once."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.page_level._tree_ensemble import tree_sums

Matrix = npt.NDArray[np.float32]
Int32s = npt.NDArray[np.int32]


class TreeEnsemble(msgspec.Struct, frozen=True, kw_only=True):
    """Trees one after the other; columns of length n_tree_nodes."""

    feature: Int32s
    """Column that a node looks at."""
    threshold: Matrix
    """Rows with at most this value go left."""
    left: Int32s
    """Number of the left child; a leaf's is itself."""
    right: Int32s
    value: Matrix
    """Log-odds that a leaf adds; 0 elsewhere."""
    roots: Int32s
    """First node of each tree; length n_trees."""
    base: float
    """Log-odds before any tree."""
    depth: int
    """Steps from a root to the deepest leaf."""

    def log_odds(self, rows: Matrix) -> npt.NDArray[np.float64]:
        """Log-odds for content of each row of features."""
        sums = tree_sums(
            rows, self.feature, self.threshold, self.left, self.right, self.value, self.roots
        )
        return self.base + sums


def mean_ensemble(parts: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """One ensemble whose log-odds are the mean of at least one ensemble's."""
    starts = np.cumsum([0, *(len(part.feature) for part in parts[:-1])]).astype(np.int32)
    share = np.float32(1 / len(parts))

    def moved(columns: Sequence[Int32s]) -> Int32s:
        return np.concatenate(
            [column + start for column, start in zip(columns, starts, strict=True)]
        ).astype(np.int32)

    return TreeEnsemble(
        feature=np.concatenate([part.feature for part in parts]),
        threshold=np.concatenate([part.threshold for part in parts]),
        left=moved([part.left for part in parts]),
        right=moved([part.right for part in parts]),
        value=np.concatenate([part.value for part in parts]) * share,
        roots=moved([part.roots for part in parts]),
        base=float(np.mean([part.base for part in parts])),
        depth=max(part.depth for part in parts),
    )
