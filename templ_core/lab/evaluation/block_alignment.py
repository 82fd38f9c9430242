"""Alignment of the segments of a page with the blocks of a gold segmentation given as texts."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from templ_core.array_types import Int64s
from templ_core.tokens import tokenise


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
