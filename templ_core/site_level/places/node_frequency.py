"""SITELEVEL: on how many pages of a site each node occurs.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 4.1. A node here is a text segment; an inner node with equal content implies equal segments.
"""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt32s, UInt64s
from templ_core.distinct import distinct


class NodeFrequency(msgspec.Struct, frozen=True, kw_only=True):
    """Page counts of nodes over a window."""

    pages: int
    """Pages counted."""
    nodes: UInt64s
    """Hashes in ascending order."""
    counts: UInt32s
    """Pages that hold each node."""

    def pages_with(self, nodes: UInt64s) -> Int64s:
        """Pages of the window that hold each of `nodes`; 0 for those unknown."""
        if not self.nodes.size:
            return np.zeros(nodes.size, np.int64)
        place = np.minimum(np.searchsorted(self.nodes, nodes), self.nodes.size - 1)
        return np.where(self.nodes[place] == nodes, self.counts[place], 0).astype(np.int64)


def node_hashes(texts: Sequence[str]) -> UInt64s:
    """Hash of each segment's text, white space and case aside; length n_segments."""
    digests = (
        hashlib.blake2b(" ".join(text.lower().split()).encode(), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def count_nodes(pages: Sequence[UInt64s], pages_min: int) -> NodeFrequency:
    """Node frequencies over `pages`, each the hashes of one page's nodes.

    Args:
        pages: Node hashes page by page; a node that recurs on one page counts once.
        pages_min: Nodes on fewer pages are left out.
    """
    once = [distinct(page) for page in pages]
    everything = np.concatenate(once) if once else np.empty(0, np.uint64)
    nodes, counts = np.unique(everything, return_counts=True)
    frequent = counts >= pages_min
    return NodeFrequency(
        pages=len(pages), nodes=nodes[frequent], counts=counts[frequent].astype(np.uint32)
    )
