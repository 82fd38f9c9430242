"""What the hashed scores of other segments say about a segment."""

import numpy as np

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.features import _contexts
from templ_core.page_level.features.page_tree import PageTree
from templ_core.page_level.features.place_features import POSITION_FEATURES

SUM_WEIGHT = 0.7
"""p0 = sigmoid(SUM_WEIGHT * (attribute score + text score)): two dependent pieces of evidence."""
_RECALL_SHARE = 0.95
_LEVELS = ("L1", "L2", "L3", "L4", "L5", "T")

CONTEXTS = (
    *("attribute score", "text score"),
    *("p0", "over the cut", "expected F1", "cut", "page mean", "rank"),
    "path mean",
    *(f"{level} mean" for level in _LEVELS),
    "plain path mean",
    *(f"plain {level} mean" for level in _LEVELS[1:4]),
    *(f"{step} {side}" for step in (1, 2, 3) for side in ("before", "after")),
    *(f"window {size} {side}" for size in (4, 10, 25) for side in ("before", "after")),
    *("mass before", "mass after"),
    *("L1 mass", "L3 mass", "L5 mass"),
    *(f"best subtree: {name}" for name in (*POSITION_FEATURES, "over the page")),
    *(
        f"{score} {level} mean"
        for score in ("attribute", "text")
        for level in ("path", "L1", "L2", "T", "page")
    ),
)
"""Names of the columns.

"over the cut", "expected F1" and "cut" are those of the page cut by p0 alone (see `expected_f1`),
"rank" the place of a segment in the order of p0. Then means of p0 by words among segments of the
same path and inside the compressed ancestors, plain ones among segments; p0 of the segments before
and after, one by one and means of windows, 0 beyond the page; shares of the page's content mass
p0 * words; the place relative to the node whose text alone would score best; means of the scores.
"""


def with_contexts(
    features: Float32s, tree: PageTree, group: Int64s, attribute: Floats, text: Floats
) -> Float32s:
    """A page's features and CONTEXTS side by side; n_segments rows.

    Args:
        features: Features that need no model; n_segments rows.
        tree: The page's tree.
        group: Path group of each segment.
        attribute: Log-odds of the attribute scores, one for each segment.
        text: Log-odds of the text scores.
    """
    size, columns = features.shape
    rows = np.empty((size, columns + len(CONTEXTS)), np.float32)
    rows[:, :columns] = features
    p0 = first_guess(attribute, text)
    order = np.argsort(-(attribute + text), kind="stable")
    _contexts.fill_contexts(
        tree, group, attribute, text, p0, order, SUM_WEIGHT, _RECALL_SHARE, rows, columns
    )
    return rows


def first_guess(attribute: Floats, text: Floats) -> Floats:
    """p0 of each segment, 0 to 1; for log-odds of the two scores."""
    return _contexts.first_guess(attribute, text, SUM_WEIGHT)
