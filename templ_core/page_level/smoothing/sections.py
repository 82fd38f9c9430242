"""Sections: the parts of a page that share one smoothed score.

They are a by-product of the smoothing, which Chakrabarti et al. (WWW 2007, section 4) call segments.
The model of the page level reads the smoothed scores of its first guess. For the sections of a record the
decisions are smoothed: 1 for what is left out, and 0 for what is kept.
"""

import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.dom.document import Document
from templ_core.page_level.page_tree import read_tree
from templ_core.page_level.smoothing.text_tree import smooth_text


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
