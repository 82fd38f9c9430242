"""A sum of small decision trees (gradient boosting, Friedman 2001), evaluated on all rows at once."""

import msgspec
import numpy as np
import numpy.typing as npt

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
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        row = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_left = rows[row, self.feature[at]] <= self.threshold[at]
            at = np.where(goes_left, self.left[at], self.right[at])
        odds: npt.NDArray[np.float64] = self.value[at].sum(axis=1, dtype=np.float64)
        return self.base + odds
