"""Which words of a page are the gold text: a longest common subsequence that favours runs."""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Int64s, UInt8s
from templ_core.lab.training.labels._alignment import aligned

MATCH, RUN_MATCH = 2, 5
"""What a matched word scores, and one whose neighbours before it match each other."""
CELLS_MAX = 60_000_000
"""Words x gold words that are aligned exactly; 1 byte each."""
_SHINGLE = 3


def matched_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    """For each word of the page whether it is matched with a word of the gold text.

    Gaps cost nothing. Pages too long for an exact alignment get the words of all 3-grams that
    occur in the gold text.

    Args:
        page: Words of the page in order, in lower case.
        gold: Words of the gold text in order, in lower case.
    """
    matched = np.zeros(len(page), np.bool_)
    common = set(page) & set(gold)
    numbers = {word: number for number, word in enumerate(sorted(common))}
    page_at = np.array([at for at, word in enumerate(page) if word in common], np.int64)
    gold_at = np.array([at for at, word in enumerate(gold) if word in common], np.int64)
    if not len(page_at):
        return matched
    if len(page_at) * len(gold_at) > CELLS_MAX:
        return _shingled_words(page, gold)
    found = aligned(
        np.array([numbers[page[at]] for at in page_at], np.int32),
        np.array([numbers[gold[at]] for at in gold_at], np.int32),
        _joins(page_at),
        _joins(gold_at),
        MATCH,
        RUN_MATCH,
    )
    matched[page_at[found]] = True
    return matched


def _joins(at: Int64s) -> UInt8s:
    """Whether each word follows on the one before it."""
    joins: UInt8s = (np.diff(at, prepend=-2) == 1).astype(np.uint8)
    return joins


def _shingled_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    shingles = {tuple(gold[at : at + _SHINGLE]) for at in range(len(gold) - _SHINGLE + 1)}
    matched = np.zeros(len(page), np.bool_)
    for at in range(len(page) - _SHINGLE + 1):
        if tuple(page[at : at + _SHINGLE]) in shingles:
            matched[at : at + _SHINGLE] = True
    return matched
