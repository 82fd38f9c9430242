"""The gold segmentation of a page (Chakrabarti et al., WWW 2007, section 6.1)."""

import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_below
from templ_core.lab.evaluation.adjusted_rand import Grouping
from templ_core.page_level.page_tree import climb


def largest_fragments(document: Document, label: Grouping) -> Int64s:
    """Return the segmentation into the largest elements whose segments all have the same label.

    No such element lies inside another one, as in the fragments that the authors of the paper
    labelled by hand. A segment that stands beside blocks with another label is a fragment of its own.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<ul><li>Home<li>About</ul><p>A story</p>", "https://example.org/")
    >>> largest_fragments(page, np.array([0, 0, 1])).tolist()
    [2, 2, 5]

    Args:
        document: The page.
        label: Label of each segment (template, content, ...), not negative; length n_segments.

    Returns:
        Group of each segment; length n_segments.
    """
    nodes, owner = document.nodes, document.segments.owner
    size = len(nodes.tags)
    inside = sums_below(nodes.end, np.bincount(owner, minlength=size))
    top = np.full(len(owner), -1, np.int64)
    for one in np.unique(label):
        alike = sums_below(nodes.end, np.bincount(owner[label == one], minlength=size))
        uniform = (inside > 0) & (np.rint(alike) == np.rint(inside))
        highest = _highest(uniform, nodes.parent)
        top = np.where((label == one) & uniform[owner], highest[owner], top)
    alone = size + np.arange(len(owner))
    return np.where(top >= 0, top, alone)


def _highest(uniform: Bools, parent: Int32s) -> Int64s:
    """Return each node's topmost ancestor such that all nodes on the way to it are uniform."""
    above = np.maximum(parent, 0)
    return climb(np.where(uniform & uniform[above], above, np.arange(len(parent))))
