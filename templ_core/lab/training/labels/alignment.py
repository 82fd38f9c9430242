"""Alignment of a page with its gold text: a longest common subsequence that prefers runs."""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Int64s, UInt8s
from templ_core.lab.training.labels._alignment import aligned

_MATCH, _RUN_MATCH = 2, 5
"""Score of a match, and of a match directly after another match on both sides."""
_CELLS_MAX = 60_000_000
"""Largest product of words and gold words for an exact alignment, which takes as many bytes."""
_SHINGLE_WORDS = 3


def matched_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    """Return, for each word of the page, whether it is matched with a word of the gold text.

    Gaps cost nothing. On pages that are too long for an exact alignment, all words of 3-grams that
    occur in the gold text are matched.

    >>> matched_words("the menu the cat sat".split(), "the cat sat".split()).tolist()
    [False, False, True, True, True]

    Args:
        page: Words of the page in order, in lower case.
        gold: Words of the gold text in order, in lower case.

    Returns:
        One value for each word of the page.
    """
    matched = np.zeros(len(page), np.bool_)
    common = set(page) & set(gold)
    numbers = {word: number for number, word in enumerate(sorted(common))}
    page_at = np.array([at for at, word in enumerate(page) if word in common], np.int64)
    gold_at = np.array([at for at, word in enumerate(gold) if word in common], np.int64)
    if not len(page_at):
        return matched
    if len(page_at) * len(gold_at) > _CELLS_MAX:
        return _shingled_words(page, gold)
    found = aligned(
        np.array([numbers[page[at]] for at in page_at], np.int32),
        np.array([numbers[gold[at]] for at in gold_at], np.int32),
        _joins(page_at),
        _joins(gold_at),
        _MATCH,
        _RUN_MATCH,
    )
    matched[page_at[found]] = True
    return matched


def _joins(at: Int64s) -> UInt8s:
    """Return whether each word follows directly on the one before it."""
    joins: UInt8s = (np.diff(at, prepend=-2) == 1).astype(np.uint8)
    return joins


def _shingled_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    """Return which words of the page are in a 3-gram that occurs in the gold text."""
    shingles = {
        tuple(gold[at : at + _SHINGLE_WORDS]) for at in range(len(gold) - _SHINGLE_WORDS + 1)
    }
    matched = np.zeros(len(page), np.bool_)
    for at in range(len(page) - _SHINGLE_WORDS + 1):
        if tuple(page[at : at + _SHINGLE_WORDS]) in shingles:
            matched[at : at + _SHINGLE_WORDS] = True
    return matched
