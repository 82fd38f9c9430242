"""The maximal repeats of a corpus with their distinct documents, in linear time.

Foschini's thesis (2007), section 3.2, steps 5 to 7, after Yamamoto and Church, Computational
Linguistics 27 (2001). A repeat is an interval of the suffix array; intervals form a tree.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s
from templ_core.site_level.phrases.suffix_array import (
    BORDER,
    BREAK,
    SuffixArray,
)

_CHUNK = 1 << 22
"""Ranks that are charged to intervals at a time, which bounds the memory this takes."""


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
    intervals = _find_intervals(common)
    size = intervals.right - intervals.left + 1
    documents = size - _repeated_documents(intervals, common, document_of[suffixes.starts])
    chosen = (documents >= documents_min) & _left_maximal(intervals, suffixes)
    return MaximalRepeats(
        starts=suffixes.starts[intervals.left[chosen]],
        lengths=intervals.length[chosen],
        documents=documents[chosen],
    )


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


class _Intervals(msgspec.Struct, frozen=True, kw_only=True):
    """Ranks left .. right that share `length` tokens, a row for each; children before parents."""

    left: Int32s
    right: Int32s
    length: Int32s
    parent: Int32s
    """Row of the smallest interval around it; n_intervals = none."""
    first: Int32s
    """The subtree of interval i is first[i] .. i."""
    deepest: Int32s
    """The smallest interval with ranks r - 1 and r, for each rank r; n_intervals = none."""


def _find_intervals(common: Int32s) -> _Intervals:
    """Return the tree of intervals, by one sweep with a stack over runs of equal common prefixes."""
    run_starts = np.flatnonzero(np.diff(common, prepend=-1))
    rows: list[tuple[int, int, int, int, int, int]] = []
    stack = [(0, 0, 0, 0)]
    opened_before = 1
    of_run: list[int] = []
    for start, value in zip(run_starts.tolist(), common[run_starts].tolist(), strict=True):
        new_left, new_first = start - 1, len(rows)
        while stack[-1][1] > value:
            new_left, length, opened_as, new_first = stack.pop()
            parent = stack[-1][2] if stack[-1][1] >= value else opened_before
            rows.append((new_left, start - 1, length, new_first, opened_as, parent))
        if stack[-1][1] < value:
            stack.append((new_left, value, opened_before, new_first))
            opened_before += 1
        of_run.append(stack[-1][2])
    columns = np.array(rows, np.int32).reshape(-1, 6).T.copy()
    left, right, lengths, first, number, parents = columns
    row_of = np.full(opened_before, len(rows), np.int32)
    row_of[number] = np.arange(len(rows), dtype=np.int32)
    return _Intervals(
        left=left,
        right=right,
        length=lengths,
        parent=row_of[parents],
        first=first,
        deepest=np.repeat(
            row_of[np.array(of_run, np.int32)], np.diff(run_starts, append=len(common))
        ),
    )


def _repeated_documents(
    intervals: _Intervals,
    common: Int32s,
    document_of_rank: npt.NDArray[np.unsignedinteger],
) -> Int32s:
    """Return the number of ranks of each interval whose document has an earlier rank in it.

    Each rank is charged to the smallest interval that also holds the rank before it of the same
    document, and counts in all larger ones.
    """
    ranks = np.flatnonzero((common[:-1] > 0) | (common[1:] > 0)).astype(np.int32)
    documents = document_of_rank[ranks]
    order = np.argsort(documents, kind="stable")
    ranks = ranks[order]
    is_same = documents[order[1:]] == documents[order[:-1]]
    is_same &= common[ranks[1:]] > 0
    earlier, later = ranks[:-1][is_same], ranks[1:][is_same]
    size = len(intervals.left)
    left = np.append(intervals.left, np.int32(-1))
    steps = _ancestors(np.append(intervals.parent, np.int32(size)))
    charged = np.zeros(size + 1, np.int64)
    for start in range(0, len(later), _CHUNK):
        at = intervals.deepest[later[start : start + _CHUNK]]
        charged += np.bincount(
            _climb(at, left, earlier[start : start + _CHUNK], steps), minlength=size + 1
        )
    before = np.concatenate([[0], np.cumsum(charged[:-1])])
    below: Int32s = (before[1:] - before[intervals.first]).astype(np.int32)
    return below


def _ancestors(parent: Int32s) -> list[Int32s]:
    """Return the ancestors 1, 2, 4, ... levels above each interval; above the root is the root."""
    steps = [parent]
    while (steps[-1] != parent[-1]).any():
        steps.append(steps[-1][steps[-1]])
    return steps


def _climb(at: Int32s, left: Int32s, target: Int32s, steps: list[Int32s]) -> Int32s:
    """Return the smallest interval around each of `at` that reaches down to rank `target`."""
    climbing = np.flatnonzero(left[at] > target)
    here, target = at[climbing], target[climbing]
    for step in reversed(steps):
        higher = step[here]
        here = np.where(left[higher] > target, higher, here)
    reached = at.copy()
    reached[climbing] = steps[0][here]
    return reached


def _left_maximal(intervals: _Intervals, suffixes: SuffixArray) -> Bools:
    """Return whether each interval's strings start at a border or follow different tokens."""
    starts, tokens = suffixes.starts, suffixes.tokens
    before = np.where(starts > 0, tokens[starts - 1], BREAK)
    changes = np.zeros(len(starts), np.bool_)
    changes[1:] = (before[1:] != before[:-1]) | (before[1:] == BREAK)
    changes |= tokens[starts] == BORDER
    count = np.cumsum(changes, dtype=np.int32)
    maximal: Bools = count[intervals.right] > count[intervals.left]
    return maximal
