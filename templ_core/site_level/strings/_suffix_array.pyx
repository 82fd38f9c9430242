"""Compiled sorting of the suffixes of a corpus; see `suffix_array.py`."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport qsort

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.strings._tokens cimport BREAK

cdef enum:
    FEW = 24        # suffixes that are sorted by insertion


def sorted_suffixes(tokens):
    """Return the position of each rank's suffix, and how many tokens it shares with the one before; int32, n and n + 1.

    Larsson and Sadakane (Faster suffix sorting, 2007): suffixes that have some tokens in common are sorted by the ranks of
    what follows these, so that each round sorts by twice as many tokens. No two breaks are equal.

    Args:
        tokens: Numbers of tokens, each below 2 ** 31.
    """
    cdef Py_ssize_t count = len(tokens), at = 0, width = 1, before, runs = 0
    numbers = np.ascontiguousarray(tokens, np.int32)
    starts = np.argsort(tokens, kind="stable").astype(np.int32)
    ranks = np.empty(count + 1, np.int32)       # of each suffix: the last rank that it may get
    cdef const int32_t *token = <const int32_t *>items(numbers, 4)
    cdef int32_t *start = <int32_t *>items(starts, 4, True)
    cdef int32_t *rank = <int32_t *>items(ranks, 4, True)
    cdef int32_t last = <int32_t>(count - 1)
    rank[count] = -1
    for at in range(count - 1, -1, -1):
        if token[start[at]] == BREAK or (at + 1 < count and token[start[at]] != token[start[at + 1]]):
            last = <int32_t>at
        rank[start[at]] = last
    keys, begins = np.empty(count, np.uint64), np.empty((2, count // 2 + 1), np.int32)
    cdef uint64_t *key = <uint64_t *>items(keys, 8, True)
    cdef int32_t *run = <int32_t *>items(begins, 4, True)       # the first ranks of suffixes that are not told apart
    cdef int32_t *later = run + count // 2 + 1
    at = 0
    while at < count:
        last = rank[start[at]]
        if last > at:
            run[runs] = <int32_t>at
            runs += 1
        at = last + 1
    while runs:
        before, runs = runs, 0
        for at in range(before):
            runs += _sort(start, rank, run[at], width, key, later + runs)
        run, later = later, run
        width *= 2
    return starts, _common_prefixes(token, start, rank, count)


cdef Py_ssize_t _sort(
    int32_t *start, int32_t *rank, int32_t begin, Py_ssize_t width, uint64_t *key, int32_t *run
) noexcept:
    """Sort suffixes of one rank by the ranks of what begins `width` tokens behind them, and note the runs of one rank."""
    start += begin
    cdef int32_t last = rank[start[0]]
    cdef Py_ssize_t count = last + 1 - begin, at, to, runs = 0
    cdef uint64_t one
    cdef bint is_ordered = True
    for at in range(count):
        key[at] = <uint64_t>(rank[start[at] + width] + 1) << 32 | <uint64_t>start[at]
        is_ordered = is_ordered and (at == 0 or key[at] >> 32 >= key[at - 1] >> 32)
    if is_ordered and key[0] >> 32 == key[count - 1] >> 32:
        run[0] = begin
        return 1
    if not is_ordered and count > FEW:
        qsort(key, count, sizeof(uint64_t), _compared)
    elif not is_ordered:
        for at in range(1, count):
            one, to = key[at], at
            while to > 0 and key[to - 1] > one:
                key[to] = key[to - 1]
                to -= 1
            key[to] = one
    for at in range(count - 1, -1, -1):
        start[at] = <int32_t>(key[at] & 0xFFFFFFFF)
        rank[start[at]] = last
        if at == 0 or key[at] >> 32 != key[at - 1] >> 32:
            if last > begin + at:
                run[runs] = begin + <int32_t>at
                runs += 1
            last = begin + <int32_t>at - 1
    return runs


cdef int _compared(const void *one, const void *other) noexcept nogil:
    cdef uint64_t mine = (<const uint64_t *>one)[0], theirs = (<const uint64_t *>other)[0]
    return (mine > theirs) - (mine < theirs)


cdef _common_prefixes(const int32_t *token, const int32_t *start, const int32_t *rank, Py_ssize_t count):
    """Return how many tokens each rank shares with the one before, 0 at both ends (Kasai et al.)."""
    found = np.zeros(count + 1, np.int32)
    cdef int32_t *common = <int32_t *>items(found, 4, True)
    cdef Py_ssize_t at, other, shared = 0
    for at in range(count):
        if rank[at] == 0:
            shared = 0
            continue
        other = start[rank[at] - 1]
        while (
            max(at, other) + shared < count
            and token[at + shared] == token[other + shared]
            and token[at + shared] != BREAK
        ):
            shared += 1
        common[rank[at]] = <int32_t>shared
        shared -= shared > 0
    return found
