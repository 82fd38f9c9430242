"""Sections: the parts of a page that share one smoothed score.

The by-product of the smoothing that Chakrabarti et al. (WWW 2007, section 3.3) call segments. The
kept text is cut from the unsmoothed scores: with the cut at the best expected F1, smoothing gains
nothing, and it draws small navigation into the article beside it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document, subtree_sums
from templ_core.page_level.isotonic import smooth

Floats = npt.NDArray[np.floating[Any]]


def section_numbers(
    document: Document, templateness: Floats, words: Floats, penalty: float
) -> npt.NDArray[np.int32]:
    """Number of the section each segment is in; length n_segments.

    Elements with text form the tree, segments are its leaves and carry the scores.

    Args:
        document: The page.
        templateness: Of each segment, 0 to 1.
        words: Of each segment, at least 1.
        penalty: c of the penalty c * A / A_i for starting a section, A being words.
    """
    if not len(words):
        return np.empty(0, np.int32)
    nodes = len(document.nodes.tags)
    owner = document.segments.owner
    inside = np.concatenate([subtree_sums(document, words), words])
    with_text = np.flatnonzero(inside > 0)
    number = np.full(nodes + len(words), -1, np.int32)
    number[with_text] = np.arange(with_text.size)
    parent = np.concatenate([document.nodes.parent, owner])[with_text]
    no_score = np.zeros(nodes)
    smoothed = smooth(
        np.where(parent >= 0, number[parent], -1).astype(np.int32),
        np.concatenate([no_score, templateness])[with_text],
        np.concatenate([no_score, np.sqrt(words)])[with_text],
        penalty * words.sum() / inside[with_text],
    )
    return smoothed.section[number[nodes:]]
