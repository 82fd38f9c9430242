"""Where the segments of a page stand in its tree.

Nested elements that hold the same segments count as one level (the "compressed tree"), so that
wrappers make no difference.
"""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.page_level._page_tree import read_ranges
from templ_core.page_level.config import FEATURE_CONFIG

LEVELS = 5
"""Compressed ancestors of a segment that features look at: L1 to L5."""


class PageTree(msgspec.Struct, frozen=True, kw_only=True):
    """The segments inside each node, and the nodes above each segment.

    Columns have length n_nodes unless they say otherwise.
    """

    first: Int64s
    """The first segment inside each node."""
    last: Int64s
    """One past the last segment inside each node."""
    up: Int64s
    """Lowest ancestor that holds more segments; the topmost node is its own."""
    above: Int64s
    """(LEVELS + 1, n_segments): the nodes L1 to L5, then T, of each segment."""
    compressed_depth: Int64s
    """Number of compressed levels above each node."""
    owner: Int32s
    """Owner of each segment; length n_segments."""
    words: Floats
    """Number of words of each segment, at least 1; length n_segments."""

    def sums(self, values: Floats, nodes: Int64s) -> Floats:
        """Return the sum of a segment column inside each of `nodes`, in the shape of `nodes`."""
        before = np.concatenate([np.zeros(1), np.cumsum(values)])
        sums: Floats = before[self.last[nodes]] - before[self.first[nodes]]
        return sums


def read_tree(document: Document, words: Floats) -> PageTree:
    """Return the tree of a page with at least one segment.

    Args:
        document: The page.
        words: Number of words of each segment, at least 1; length n_segments.
    """
    segments = document.segments
    ranges = read_ranges(document, words, LEVELS, FEATURE_CONFIG.top_share)
    return PageTree(owner=segments.owner, words=words, **ranges)
