"""The maximal repeats of a corpus with their distinct documents, in linear time.

Foschini's thesis (2007), section 3.2, steps 5 to 7, after Yamamoto and Church, Computational
Linguistics 27 (2001). A repeat is an interval of the suffix array; intervals form a tree.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s
from templ_core.lab.papers.foschini._maximal_repeats import sweep
from templ_core.site_level.strings.suffix_array import (
    BORDER,
    BREAK,
    SuffixArray,
)


class MaximalRepeats(msgspec.Struct, frozen=True, kw_only=True):
    """Strings of tokens that cannot be made longer without losing an occurrence, a row for each."""

    starts: Int32s
    """Position of one occurrence in the corpus."""
    lengths: Int32s
    """Number of tokens, borders included."""
    documents: Int32s
    """Number of distinct documents with an occurrence."""


def find_repeats(
    suffixes: SuffixArray,
    document_of: npt.NDArray[np.unsignedinteger],
    *,
    documents_min: int = 2,
    tokens_min: int = 1,
) -> MaximalRepeats:
    """Return the maximal repeats of a corpus, in lexicographic order of their intervals' ends.

    >>> tokens = np.array([2, 3, 4, BREAK, 5, 2, 3, BREAK], np.uint16)
    >>> repeats = find_repeats(SuffixArray(tokens), np.array([0, 0, 0, 0, 1, 1, 1, 1], np.uint16))
    >>> [
    ...     tokens[start : start + length].tolist()
    ...     for start, length in zip(repeats.starts, repeats.lengths)
    ... ]
    [[2, 3]]

    Args:
        suffixes: The suffixes of the corpus.
        document_of: Number of each position's document; length n_tokens.
        documents_min: Strings in fewer documents are left out; at least 2.
        tokens_min: Strings of fewer tokens are left out; at least 1.
    """
    common = np.where(suffixes.common < tokens_min, np.int32(0), suffixes.common)
    common = opened(common, documents_min - 1)
    documents = document_of[suffixes.starts].astype(np.int32)
    first, lengths, counts = sweep(
        common,
        documents,
        _changes(suffixes),
        int(documents.max(initial=-1)) + 1,
        documents_min,
    )
    return MaximalRepeats(starts=suffixes.starts[first], lengths=lengths, documents=counts)


def opened(values: Int32s, width: int) -> Int32s:
    """Return `values`, each 0 or more, without peaks narrower than `width`.

    That is their morphological opening: the largest minimum of any `width` neighbours around each
    value. Of common prefixes it leaves those of at least `width` + 1 suffixes.

    >>> opened(np.array([0, 5, 0, 2, 3, 2], np.int32), 2).tolist()
    [0, 0, 0, 2, 2, 2]
    """
    if width <= 1:
        return values
    if len(values) < width:
        return np.zeros_like(values)
    lowest = -_sliding_maximum(-values, width)
    return _sliding_maximum(np.pad(lowest, width - 1), width)


def _sliding_maximum(values: Int32s, width: int) -> Int32s:
    """Return the maximum of each `width` neighbours, by doubling."""
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        values = np.maximum(values[:-step], values[step:])
        covered += step
    return values


def _changes(suffixes: SuffixArray) -> Bools:
    """Return whether each rank's string starts at a border or follows another token than the rank before.

    The strings of an interval cannot be made longer to the left if that is so for any rank but its first.
    """
    starts, tokens = suffixes.starts, suffixes.tokens
    before = np.where(starts > 0, tokens[starts - 1], BREAK)
    changes = np.zeros(len(starts), np.bool_)
    changes[1:] = (before[1:] != before[:-1]) | (before[1:] == BREAK)
    changes |= tokens[starts] == BORDER
    return changes
