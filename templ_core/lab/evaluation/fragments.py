"""The gold segmentation of a page (Chakrabarti et al., WWW 2007, section 6.1)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_below
from templ_core.page_level.features.page_tree import climb


def largest_fragments(document: Document, kind: npt.NDArray[np.integer[Any]]) -> Int64s:
    """The gold segmentation: the largest elements whose segments are all of one kind.

    These form an antichain, as the paper's manually labelled fragments do. A segment beside blocks
    of another kind is a fragment of its own.

    Args:
        document: The page.
        kind: Kind of each segment (template, content, ...), not negative; length n_segments.

    Returns:
        Group of each segment; length n_segments.
    """
    nodes, owner = document.nodes, document.segments.owner
    size = len(nodes.tags)
    inside = sums_below(nodes.end, np.bincount(owner, minlength=size))
    top = np.full(len(owner), -1, np.int64)
    for one in np.unique(kind):
        alike = sums_below(nodes.end, np.bincount(owner[kind == one], minlength=size))
        uniform = (inside > 0) & (np.rint(alike) == np.rint(inside))
        highest = _highest(uniform, nodes.parent)
        top = np.where((kind == one) & uniform[owner], highest[owner], top)
    alone = size + np.arange(len(owner))
    return np.where(top >= 0, top, alone)


def _highest(uniform: Bools, parent: Int32s) -> Int64s:
    """The topmost of each node's uniform ancestors that are all uniform up to it."""
    above = np.maximum(parent, 0)
    return climb(np.where(uniform & uniform[above], above, np.arange(len(parent))))
