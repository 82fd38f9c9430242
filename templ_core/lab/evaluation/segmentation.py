"""Segmentations of a page: the gold one, and how alike two of them are.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007, section 6.1: the
leaves of a page are the objects, and the section that a leaf belongs to is its group. How alike two segmentations are
says the adjusted Rand index of scikit-learn: Hubert, Arabie, *Comparing partitions*, Journal of Classification 1985.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_below
from templ_core.page_level.page_tree import climb
from templ_core.tokens import tokenise

Grouping = npt.NDArray[np.integer[Any]]
"""The number of the group that each object belongs to. Only equality of the numbers matters."""


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


def block_of_each(segments: Sequence[str], blocks: Sequence[str]) -> Int64s:
    """Return, for each segment, the number of the block that holds most of its words.

    Segments and blocks are the same page in document order, cut at different places. Either side may
    lack words of the other.

    >>> block_of_each(["Home", "About", "The story"], ["Home About", "The story begins"]).tolist()
    [0, 0, 1]

    Args:
        segments: Texts of the segments.
        blocks: Texts of the blocks.

    Returns:
        Block numbers, or -1 for segments without a word in any block; length n_segments.
    """
    words, segment = _words(segments)
    gold_words, block = _words(blocks)
    count = np.zeros((len(segments), len(blocks)), np.int64)
    for found in SequenceMatcher(None, words, gold_words, autojunk=False).get_matching_blocks():
        pairs = (segment[found.a : found.a + found.size], block[found.b : found.b + found.size])
        np.add.at(count, pairs, 1)
    if not len(blocks):
        return np.full(len(segments), -1)
    best = np.argmax(count, axis=1)
    return np.where(count[np.arange(len(segments)), best] > 0, best, -1)


def _words(texts: Sequence[str]) -> tuple[list[str], Int64s]:
    """Return the words of all texts and, for each word, the number of its text."""
    words = [tokenise(text.lower()) for text in texts]
    place = np.repeat(np.arange(len(words)), [len(some) for some in words])
    return [word for some in words for word in some], place
