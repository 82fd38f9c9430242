"""Sections: the parts of a page that share one smoothed score.

They are a by-product of the smoothing, which Chakrabarti et al. (WWW 2007, section 4) call segments.
The kept text does not depend on them: with the cut at the best expected F1, smoothing gains nothing,
and it draws small navigation into the article beside it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s
from templ_core.dom.document import Document
from templ_core.dom.tree import subtree_sums
from templ_core.page_level.smoothing.isotonic import smooth
from templ_core.page_level.smoothing.thinned_tree import leave_out


def section_numbers(
    document: Document,
    templateness: npt.NDArray[np.floating[Any]],
    words: Floats,
    penalty: float,
) -> Int32s:
    """Return the number of the section that each segment is in; length n_segments.

    Elements with text form the tree; segments are its leaves and carry the scores. Elements that
    hold exactly what their parent holds are left out, since they make no difference to the cost.

    Args:
        document: The page.
        templateness: Templateness of each segment, 0 to 1; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        penalty: c of the penalty c * A / A_i for starting a section, with words as the area A.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> html = "<ul><li>home<li>contact</ul><div><p>It rains.<p>It is cold.</div>"
        >>> page = parse_document(html, "https://example.com/")
        >>> templateness, words = np.array([0.9, 0.9, 0.1, 0.1]), np.array([1.0, 1, 2, 3])
        >>> section_numbers(page, templateness, words, 0.05).tolist()
        [0, 0, 1, 1]
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
    """Return the sections numbered in the order of the segments."""
    _, first, number = np.unique(section, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int32)
