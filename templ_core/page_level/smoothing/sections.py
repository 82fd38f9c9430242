"""Sections: the parts of a page that share one smoothed score.

The by-product of the smoothing that Chakrabarti et al. (WWW 2007, section 4) call segments. The
kept text is cut from the unsmoothed scores: with the cut at the best expected F1, smoothing gains
nothing, and it draws small navigation into the article beside it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s
from templ_core.dom.document import Document, subtree_sums
from templ_core.page_level.smoothing.isotonic import smooth
from templ_core.page_level.smoothing.node_smoothing import leave_out

Floats = npt.NDArray[np.floating[Any]]


def section_numbers(
    document: Document, templateness: Floats, words: Floats, penalty: float
) -> Int32s:
    """Number of the section each segment is in; length n_segments.

    Elements with text form the tree, segments are its leaves and carry the scores. Elements that hold
    what their parent holds are left out: they cost the same.

    Args:
        document: The page.
        templateness: Of each segment, 0 to 1.
        words: Of each segment, at least 1.
        penalty: c of the penalty c * A / A_i for starting a section, A being words.
    """
    if not len(words):
        return np.empty(0, np.int32)
    owner = document.segments.owner
    n_nodes = len(document.nodes.tags)
    order = np.argsort(np.concatenate([np.arange(n_nodes), owner]), kind="stable")
    place = np.argsort(order)
    parent = np.concatenate([document.nodes.parent, owner])[order]
    parent = np.where(parent < 0, -1, place[parent]).astype(np.int32)
    inside = np.concatenate([subtree_sums(document, words), words])[order]
    is_segment = order >= n_nodes
    is_wrapper = ~is_segment & (parent >= 0) & (inside == inside[parent])
    tree = leave_out(parent, is_wrapper | (inside == 0))
    no_score = np.zeros(n_nodes)
    smoothed = smooth(
        tree.parent,
        np.concatenate([no_score, templateness])[order][tree.kept],
        np.concatenate([no_score, np.sqrt(words)])[order][tree.kept],
        penalty * words.sum() / inside[tree.kept],
    )
    return _numbered(smoothed.section[tree.stands_for[place[n_nodes:]]])


def _numbered(section: Int32s) -> Int32s:
    """The same sections, numbered as the segments come."""
    _, first, number = np.unique(section, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int32)
