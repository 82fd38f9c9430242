"""Where the segments of a page stand in its tree.

Elements with the same segments count as one ("compressed tree"): wrappers add no level.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.page_level.features._page_tree import read_ranges

LEVELS = 5
"""Compressed ancestors of a segment that are looked at: L1 to L5."""
TOP_SHARE = 0.6
"""T is the highest ancestor with less than this share of the page's words."""


class PageTree(msgspec.Struct, frozen=True, kw_only=True):
    """Ranges of segments; columns of length n_nodes unless said otherwise."""

    first: Int64s
    """The segments inside a node are first .. last - 1."""
    last: Int64s
    up: Int64s
    """Lowest ancestor that holds more segments; the topmost node's is itself."""
    above: Int64s
    """(LEVELS + 1, n_segments): the nodes L1 to L5, then T, of each segment."""
    compressed_depth: Int64s
    """Number of different ranges above each node."""
    owner: Int32s
    """Owner of each segment; length n_segments."""
    words: Floats
    """Words of each segment, at least 1; length n_segments."""

    def sums(self, values: Floats, nodes: Int64s) -> Floats:
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
    segments = document.segments
    first, last, up, compressed_depth, above = read_ranges(
        document.nodes.parent, segments.owner, segments.inline_to, words, LEVELS, TOP_SHARE
    )
    return PageTree(
        first=first,
        last=last,
        up=up,
        above=above,
        compressed_depth=compressed_depth,
        owner=segments.owner,
        words=words,
    )


def climb(step: Int64s) -> Int64s:
    """Where each node ends up when steps upwards are followed until they stop."""
    while True:
        further = step[step]
        if np.array_equal(further, step):
            return step
        step = further
