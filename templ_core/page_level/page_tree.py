"""Where the segments of a page stand in its tree.

Elements with the same segments count as one ("compressed tree"): wrappers add no level.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.dom.tree import sums_above, sums_below

Int32s = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEVELS = 5
"""Compressed ancestors of a segment that are looked at: L1 to L5."""
TOP_SHARE = 0.6
"""T is the highest ancestor with less than this share of the page's words."""


class PageTree(msgspec.Struct, frozen=True, kw_only=True):
    """Ranges of segments; columns of length n_nodes unless said otherwise."""

    first: Ints
    """The segments inside a node are first .. last - 1."""
    last: Ints
    up: Ints
    """Lowest ancestor that holds more segments; the topmost node's is itself."""
    above: Ints
    """(LEVELS + 1, n_segments): the nodes L1 to L5, then T, of each segment."""
    compressed_depth: Ints
    """Number of different ranges above each node."""
    owner: Int32s
    """Owner of each segment; length n_segments."""
    words: Floats
    """Words of each segment, at least 1; length n_segments."""

    def sums(self, values: Floats, nodes: Ints) -> Floats:
        """Sum of a segment column inside each of `nodes`; the shape of `nodes`."""
        before = np.concatenate([np.zeros(1), np.cumsum(values)])
        sums: Floats = before[self.last[nodes]] - before[self.first[nodes]]
        return sums


def read_tree(document: Document, words: Floats) -> PageTree:
    """The tree of a page with at least one segment.

    Args:
        document: The page.
        words: Words of each segment, at least 1.
    """
    nodes, segments = document.nodes, document.segments
    n_nodes = len(nodes.tags)
    own = np.bincount(segments.owner, minlength=n_nodes)
    count = np.rint(sums_below(nodes.end, own)).astype(np.int64)
    first = np.searchsorted(segments.inline_to, np.arange(n_nodes), side="right")
    parent = np.maximum(nodes.parent, 0).astype(np.int64)
    top = climb(np.where(count[parent] == count, parent, np.arange(n_nodes)))
    up = parent[top]
    starts_range = count[parent] != count
    inside = sums_below(nodes.end, np.bincount(segments.owner, words, n_nodes))
    is_small = inside < TOP_SHARE * words.sum()
    highest = climb(np.where(is_small[parent], parent, np.arange(n_nodes)))
    return PageTree(
        first=first,
        last=first + count,
        up=up,
        above=_above(segments.owner, count, top, up, highest),
        compressed_depth=np.rint(sums_above(nodes.end, starts_range)).astype(np.int64),
        owner=segments.owner,
        words=words,
    )


def climb(step: Ints) -> Ints:
    """Where each node ends up when steps upwards are followed until they stop."""
    while True:
        further = step[step]
        if np.array_equal(further, step):
            return step
        step = further


def _above(owner: Int32s, count: Ints, top: Ints, up: Ints, highest: Ints) -> Ints:
    level = np.where(count[owner] > 1, top[owner], up[owner])
    levels = [level]
    for _ in range(LEVELS - 1):
        levels.append(up[levels[-1]])
    return np.stack([*levels, highest[owner]])
