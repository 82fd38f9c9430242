"""Which words of a page are the gold text: a longest common subsequence that favours runs."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MATCH, RUN_MATCH = 2, 5
"""What a matched word scores, and one whose neighbours before it match each other."""
CELLS_MAX = 60_000_000
"""Words x gold words that are aligned exactly; 8 bytes each."""
_SHINGLE = 3

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]


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
    page_words = np.array([numbers[page[at]] for at in page_at], np.int32)
    gold_words = np.array([numbers[gold[at]] for at in gold_at], np.int32)
    page_joins = np.diff(page_at, prepend=-2) == 1
    gold_joins = np.diff(gold_at, prepend=-2) == 1
    found = _align(page_words, gold_words, page_joins, gold_joins)
    matched[page_at[found]] = True
    return matched


def _align(page: Int32s, gold: Int32s, page_joins: Bools, gold_joins: Bools) -> Bools:
    """Matched places of `page`; the joins say where a word follows on the one before it."""
    size = len(page)
    places = [np.flatnonzero(page == word) for word in range(int(page.max()) + 1)]
    best = np.zeros((len(gold) + 1, size + 1), np.int32)
    ending = np.full((len(gold) + 1, size + 1), -1, np.int32)
    for row, word in enumerate(gold.tolist()):
        at = places[word]
        score = best[row, at] + MATCH
        if gold_joins[row]:
            before = ending[row, at]
            continues = page_joins[at] & (before >= 0)
            score = np.maximum(score, np.where(continues, before + RUN_MATCH, 0))
        ending[row + 1, at + 1] = score
        line = best[row].copy()
        line[at + 1] = np.maximum(line[at + 1], score)
        np.maximum.accumulate(line, out=best[row + 1])
    return _trace(best, ending, page_joins, gold_joins)


def _trace(best: Int32s, ending: Int32s, page_joins: Bools, gold_joins: Bools) -> Bools:
    """The matches of one best alignment, from its end backwards."""
    matched = np.zeros(best.shape[1] - 1, np.bool_)
    row, column = best.shape[0] - 1, best.shape[1] - 1
    in_run = False
    while row > 0 and column > 0:
        if not in_run:
            value = best[row, column]
            if value == 0:
                break
            column = int(np.searchsorted(best[row, : column + 1], value))
            if best[row - 1, column] == value:
                row -= 1
                continue
        matched[column - 1] = True
        before = ending[row - 1, column - 1]
        in_run = bool(
            gold_joins[row - 1]
            and page_joins[column - 1]
            and before >= 0
            and ending[row, column] == before + RUN_MATCH
        )
        row, column = row - 1, column - 1
    return matched


def _shingled_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    shingles = {tuple(gold[at : at + _SHINGLE]) for at in range(len(gold) - _SHINGLE + 1)}
    matched = np.zeros(len(page), np.bool_)
    for at in range(len(page) - _SHINGLE + 1):
        if tuple(page[at : at + _SHINGLE]) in shingles:
            matched[at : at + _SHINGLE] = True
    return matched
