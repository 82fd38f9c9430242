"""Smoothing of the segments of a page on the tree of its elements with text, and the sections that it finds.

A section is a part of a page that shares one smoothed score; Chakrabarti et al. (WWW 2007, section 4) call it
a segment. The model of the page level reads the smoothed scores of its first guess. For the sections of a
record the decisions are smoothed: 1 for what is left out, and 0 for what is kept.
"""

from typing import NamedTuple

import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.dom.document import Document
from templ_core.page_level.page_tree import PageTree, read_tree
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
        >>> from templ_core.dom.document import parse_document
        >>> page = parse_document("<ul><li>Home<li>News</ul><p>It rains.", "https://a.com/")
        >>> tree = read_tree(page, np.array([9.0, 9.0, 9.0]))
        >>> found = smooth_text(tree, np.array([0.1, 0.2, 0.9]), 0.2)
        >>> found.templateness.round(2).tolist(), found.section_words.tolist()
        ([0.1, 0.1, 0.9], [18.0, 18.0, 9.0])
    """
    return SmoothedText(*_smoothing.smooth_text(tree, templateness, penalty, SCORE_GRID))


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
    templateness = (~kept).astype(np.float64)
    return _numbered(smooth_text(read_tree(document, words), templateness, penalty).section)


def _numbered(section: Int32s) -> Int32s:
    """Return the sections numbered in the order of the segments."""
    _, first, number = np.unique(section, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int32)
