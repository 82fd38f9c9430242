"""Compiled loops of the selection; see `templ_core.decide`."""

from libc.math cimport INFINITY, exp, rint, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items

cdef double TINY = 1e-9     # keeps the division defined where no segment has any mass


def agreed(first_column, last_column, words, log_odds, double spread_max, double steps):
    """Return log-odds with the mean of each section, rounded to multiples of 1 / steps."""
    cdef Py_ssize_t size = len(log_odds), nodes = len(first_column), node, segment, done = 0
    cdef const int64_t *first = <const int64_t *>items(first_column, 8)
    cdef const int64_t *last = <const int64_t *>items(last_column, 8)
    cdef const double *words_of = <const double *>items(words, 8)
    cdef const double *own = <const double *>items(log_odds, 8)
    # Of the segments before each: their weights, log-odds and squared log-odds, summed.
    sums = np.zeros((3, size + 1))
    cdef double *weight = <double *>items(sums, 8, True)
    cdef double *once = weight + size + 1
    cdef double *squared = once + size + 1
    cdef double one, inside, mean
    pooled = log_odds.copy()
    cdef double *result = <double *>items(pooled, 8, True)
    for segment in range(size):
        one = sqrt(words_of[segment])
        weight[segment + 1] = weight[segment] + one
        once[segment + 1] = once[segment] + one * own[segment]
        squared[segment + 1] = squared[segment] + one * own[segment] * own[segment]
    for node in range(nodes):   # in document order, so a section comes before all that is inside it
        if first[node] < done or last[node] - first[node] < 2:
            continue
        inside = weight[last[node]] - weight[first[node]]
        mean = (once[last[node]] - once[first[node]]) / inside
        if (squared[last[node]] - squared[first[node]]) / inside - mean * mean > spread_max * spread_max:
            continue
        done = last[node]
        mean = rint(mean * steps) / steps
        for segment in range(first[node], done):
            result[segment] = mean
    return pooled


def best_cut(log_odds, left_out, words, double recall_share):
    """Return which segments to keep, and the F1 to expect (0 to 1).

    Segments are kept from the surest on, as many as maximise

        2 * kept mass / (kept words + lambda * content mass),   where mass = P(content) * words.

    The cut needs calibrated probabilities, judges the page as a whole, and never leaves a page empty.

    Nothing is kept, and 0 expected, where all segments are left out. Of equal cuts the one that
    keeps less is taken.

    Args:
        log_odds: Log-odds for content of each segment; length n_segments.
        left_out: Segments that are neither kept nor counted; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        recall_share: lambda above, above 0. Below 1 recall counts for less, above 1 for more.
    """
    cdef Py_ssize_t size = len(log_odds), place, segment, best = 0
    cdef double mass = 0, kept_mass = 0, kept_words = 0, expected, highest = 0
    cdef const double *score = <const double *>items(log_odds, 8)
    cdef const double *words_of = <const double *>items(words, 8)
    cdef const uint8_t *is_out = <const uint8_t *>items(left_out, 1)
    contents, ranks, kept = np.empty(size), np.empty(size), np.zeros(size, np.bool_)
    cdef double *content = <double *>items(contents, 8, True)
    cdef double *rank = <double *>items(ranks, 8, True)
    cdef uint8_t *is_kept = <uint8_t *>items(kept, 1, True)
    cdef const Py_ssize_t *order
    for segment in range(size):
        content[segment] = 1 / (1 + exp(-score[segment]))
        rank[segment] = -content[segment]
        if is_out[segment]:
            rank[segment] = INFINITY
        else:
            mass += content[segment] * words_of[segment]
    ranked = ranks.argsort(kind="stable")
    order = <const Py_ssize_t *>items(ranked, sizeof(Py_ssize_t))
    for place in range(size):
        segment = order[place]
        if is_out[segment]:
            break
        kept_mass += content[segment] * words_of[segment]
        kept_words += words_of[segment]
        expected = 2 * kept_mass / (kept_words + recall_share * mass + TINY)
        if expected > highest or not place:
            highest, best = expected, place + 1
    for place in range(best):
        is_kept[order[place]] = True
    return kept, min(highest, 1.0)


def plain_f1(log_odds, kept, left_out, words):
    """Return the F1 to expect of a cut, with recall at its full weight; 0 to 1.

    With a lambda below 1 the quotient that `best_cut` maximises exceeds 1 on four of five pages and is
    cut off there, so that it says nothing about which of them are surer.

    Args:
        log_odds: Log-odds for content of each segment; length n_segments.
        kept: Segments that are kept; length n_segments.
        left_out: Segments that are not counted unless they are kept; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
    """
    cdef Py_ssize_t segment
    cdef double mass, counted = 0, kept_mass = 0
    cdef const double *score = <const double *>items(log_odds, 8)
    cdef const double *words_of = <const double *>items(words, 8)
    cdef const uint8_t *is_kept = <const uint8_t *>items(kept, 1)
    cdef const uint8_t *is_out = <const uint8_t *>items(left_out, 1)
    for segment in range(len(log_odds)):
        if is_out[segment] and not is_kept[segment]:
            continue
        mass = words_of[segment] / (1 + exp(-score[segment]))
        counted += mass
        if is_kept[segment]:
            counted += words_of[segment]
            kept_mass += mass
    return 2 * kept_mass / counted if counted > 0 else 0.0


def kept_words(kept_column, words_column):
    """Return the number of words that are kept, and of all words."""
    cdef const uint8_t *kept = <const uint8_t *>items(kept_column, 1)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef Py_ssize_t segment
    cdef double of_kept = 0, total = 0
    for segment in range(len(words_column)):
        total += words[segment]
        if kept[segment]:
            of_kept += words[segment]
    return of_kept, total


def long_without(bits_column, words_column, int bits, double words_min):
    """Return which segments have at least this many words and none of some bits."""
    cdef const int32_t *bits_of = <const int32_t *>items(bits_column, 4)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef Py_ssize_t segment, count = len(words_column)
    found = np.empty(count, np.bool_)
    cdef uint8_t *result = <uint8_t *>items(found, 1, True)
    for segment in range(count):
        result[segment] = words[segment] >= words_min and not bits_of[segment] & bits
    return found


def surest_copies(text_column, log_odds_column):
    """Return for each segment the surest one with the same text, itself if there is no other.

    Of equally sure ones it is the first.

    Args:
        text_column: Hash of each segment's words; length n_segments.
        log_odds_column: Log-odds for content of each segment; length n_segments.
    """
    cdef Py_ssize_t count = len(text_column), segment, best
    cdef const uint64_t *text = <const uint64_t *>items(text_column, 8)
    cdef const double *log_odds = <const double *>items(log_odds_column, 8)
    cdef uint64_t mask = 15, slot
    while mask < <uint64_t>(2 * count):
        mask = 2 * mask + 1
    surest = np.empty(count, np.int64)
    cdef int64_t *result = <int64_t *>items(surest, 8, True)
    cdef int64_t *table = <int64_t *>calloc(mask + 1, sizeof(int64_t))      # segment + 1; 0 = free
    if table == NULL:
        raise MemoryError
    for segment in range(count):
        slot = _slot_of(text[segment], text, table, mask)
        best = table[slot] - 1
        if best < 0 or log_odds[segment] > log_odds[best]:
            table[slot] = segment + 1
    for segment in range(count):
        result[segment] = table[_slot_of(text[segment], text, table, mask)] - 1
    free(table)
    return surest


cdef inline uint64_t _slot_of(
    uint64_t value, const uint64_t *text, const int64_t *table, uint64_t mask
) noexcept:
    """Return the slot of the segment with this text, or the free slot where it belongs."""
    cdef uint64_t slot = (value ^ value >> 32) & mask
    while table[slot] and text[table[slot] - 1] != value:
        slot = (slot + 1) & mask
    return slot
