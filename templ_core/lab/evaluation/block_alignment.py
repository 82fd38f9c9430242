"""Which block of a gold segmentation each segment of a page stands in."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from templ_core.array_types import Int64s
from templ_core.tokens import tokenise


def block_of_each(segments: Sequence[str], blocks: Sequence[str]) -> Int64s:
    """Number of the block that most words of each segment are in; -1 = in none.

    Both are the same page in document order, cut differently; words of one may be missing in the
    other.

    Args:
        segments: Texts of the segments.
        blocks: Texts of the blocks.
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
    words = [tokenise(text.lower()) for text in texts]
    place = np.repeat(np.arange(len(words)), [len(some) for some in words])
    return [word for some in words for word in some], place
