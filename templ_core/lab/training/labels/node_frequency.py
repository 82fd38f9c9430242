"""Node frequencies of a site as SITELEVEL counts them.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 4.1. A node is a text segment here, because inner nodes of equal content have equal segments.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt32s, UInt64s
from templ_core.distinct import distinct


class NodeFrequency(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages of a window hold each node; columns of equal length."""

    pages: int
    """Pages of the window."""
    nodes: UInt64s
    """Hashes of the nodes in ascending order."""
    counts: UInt32s
    """Pages that hold each node, at least 1."""

    def pages_with(self, nodes: UInt64s) -> Int64s:
        """Return how many pages of the window hold each of `nodes`; 0 for unknown ones."""
        if not self.nodes.size:
            return np.zeros(nodes.size, np.int64)
        place = np.minimum(np.searchsorted(self.nodes, nodes), self.nodes.size - 1)
        return np.where(self.nodes[place] == nodes, self.counts[place], 0).astype(np.int64)


def count_nodes(pages: Sequence[UInt64s], pages_min: int) -> NodeFrequency:
    """Return the node frequencies of some pages.

    Args:
        pages: Hashes of the nodes of each page; a node counts once for each page that holds it.
        pages_min: Pages below which a node is left out.
    """
    once = [distinct(page) for page in pages]
    everything = np.concatenate(once) if once else np.empty(0, np.uint64)
    nodes, counts = np.unique(everything, return_counts=True)
    frequent = counts >= pages_min
    return NodeFrequency(
        pages=len(pages), nodes=nodes[frequent], counts=counts[frequent].astype(np.uint32)
    )
