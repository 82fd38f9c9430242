"""Regularised isotonic smoothing of scores on a tree, and the sections of a page that it finds.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 4: minimise the sum of w_i |x_i - y_i| plus a penalty gamma_i for every node that starts a
section, such that a node's score is never below its parent's (1 = template).

This is algorithm BuildError with its slips corrected. A leaf costs |x_i - x_j|, whichever is larger.
gamma is added where a section starts, instead of being subtracted where none does, so that infinite
penalties work. The root starts at its cheapest value. Among equal costs a node stays with its
parent, or else takes the smallest value.

A section is a part of a page that shares one smoothed score; the paper calls it a segment. The model of the
page level reads the smoothed scores of its first guess. For the sections of a record the decisions are
smoothed: 1 for what is left out, and 0 for what is kept.
"""

from typing import NamedTuple

import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.dom.document import Document
from templ_core.page_level import _smoothing
from templ_core.page_level.page_tree import PageTree, read_tree


class Smoothed(NamedTuple):
    """Smoothed scores of a tree; columns of length n_nodes."""

    score: Floats
    """y: never below the parent's."""
    section: Int32s
    """Number of each node's section, counted in document order; nodes of a section are connected."""


def smooth(parent: Int32s, score: Floats, weight: Floats, penalty: Floats) -> Smoothed:
    """Return smoothed scores and sections close to the least cost.

    First the best y among 64 values from 0 to 1 is found. Then each section moves to the weighted
    median of its scores, as far as the sections around it allow, which never costs more. Rounding
    an optimal y to the values keeps its order and starts no section, so the cost is at most
    sum(w) / 126 above the optimum. Time is proportional to n_nodes * 64.

    Args:
        parent: Parent of each node in document order (a subtree is a range); -1 for roots.
        score: x, 0 to 1.
        weight: w, not negative; 0 where the node has no score of its own.
        penalty: gamma, what it costs to start a section at each node; not negative, may be
            infinite. Roots start one at no cost.

    Raises:
        ValueError: If the nodes are not in document order.
    """
    return Smoothed(*_smoothing.smooth(parent, score, weight, penalty))


class SmoothedText(NamedTuple):
    """Smoothed scores of the segments of a page; columns of length n_segments."""

    templateness: Floats
    """The smoothed templateness, 0 to 1."""
    section: Int32s
    """Number of the section that each segment is in; other elements may have sections of their own."""
    section_words: Floats
    """Words of the section that each segment is in, at least 1."""


def smooth_text(tree: PageTree, templateness: Floats, penalty: float) -> SmoothedText:
    """Return the smoothed templateness of the segments of a page, and their sections.

    The tree that is smoothed has the segments as its leaves. An element that holds exactly what the element
    around it holds is left out, and one with a single segment, for which the segment stands; both make no
    difference to the cost. A segment weighs the square root of its words, and a new section at node i costs
    c * A / A_i with words as the area A (section 5.3 of the paper).

    Args:
        tree: The page's tree.
        templateness: Of each segment, 0 to 1; length n_segments.
        penalty: c, not negative.
    """
    return SmoothedText(*_smoothing.smooth_text(tree, templateness, penalty))


def section_numbers(document: Document, kept: Bools, words: Floats, penalty: float) -> Int32s:
    """Return the number of the section that each segment is in; length n_segments.

    Args:
        document: The page.
        kept: Whether each segment is kept; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        penalty: c of the penalty c * A / A_i for starting a section, with words as the area A.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> html = "<ul><li>home<li>contact</ul><div><p>It rains.<p>It is cold.</div>"
        >>> page = parse_document(html, "https://example.com/")
        >>> kept, words = np.array([False, False, True, True]), np.array([1.0, 1, 2, 3])
        >>> section_numbers(page, kept, words, 0.05).tolist()
        [0, 0, 1, 1]
    """
    if not len(words):
        return np.empty(0, np.int32)
    section = smooth_text(read_tree(document, words), (~kept).astype(np.float64), penalty).section
    _, first, number = np.unique(section, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int32)
