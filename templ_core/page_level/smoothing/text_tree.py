"""Smoothing of the segments of a page on the tree of its elements with text."""

from typing import NamedTuple

from templ_core.array_types import Floats, Int32s
from templ_core.page_level.page_tree import PageTree
from templ_core.page_level.smoothing import _smoothing
from templ_core.page_level.smoothing.isotonic import SCORE_GRID


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
    c * A / A_i with words as the area A (Chakrabarti et al., WWW 2007, section 5.3).

    Args:
        tree: The page's tree.
        templateness: Of each segment, 0 to 1; length n_segments.
        penalty: c, not negative.

    Example:
        >>> import numpy as np
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.page_tree import read_tree
        >>> page = parse_document("<ul><li>Home<li>News</ul><p>It rains.", "https://a.com/")
        >>> tree = read_tree(page, np.array([9.0, 9.0, 9.0]))
        >>> found = smooth_text(tree, np.array([0.1, 0.2, 0.9]), 0.2)
        >>> found.templateness.round(2).tolist(), found.section_words.tolist()
        ([0.1, 0.1, 0.9], [18.0, 18.0, 9.0])
    """
    return SmoothedText(*_smoothing.smooth_text(tree, templateness, penalty, SCORE_GRID))
