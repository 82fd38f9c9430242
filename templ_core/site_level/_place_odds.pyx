"""What a window says about places; see place_table.py and place_odds.py."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core.site_level._lookup cimport find


def read_constancy(
    const int64_t[:, :] paths, const int64_t[:] text_pages, const int64_t[:] words,
    double unknown,
):
    """Constancy of each segment's path, and whether the segment is constant text there."""
    cdef Py_ssize_t segment, count = words.shape[0]
    cdef int64_t pages, have
    cdef double share
    constancies, constants = np.empty(count), np.empty(count, np.bool_)
    cdef double[::1] constancy = constancies
    cdef unsigned char[::1] constant = constants.view(np.uint8)
    for segment in range(count):
        pages, have = paths[0, segment], text_pages[segment]
        share = paths[1, segment] / <double>max(pages * paths[2, segment], 1)
        if pages < 2:
            share = unknown
        constancy[segment] = share
        constant[segment] = (
            pages >= 4 and share >= 0.5 and have >= 2 and have >= 0.3 * pages
        ) or (
            words[segment] >= 4 and pages >= 8 and pages * share >= 5 and share >= 0.08
            and have >= 3 and have >= 0.05 * pages
        )
    return constancies, constants


def pooled_odds(
    const uint64_t[::1] keys, const int64_t[:, :] sums, const uint64_t[::1] wanted,
    const int64_t[::1] words, const int64_t[::1] mass, int64_t unit, double margin,
):
    """Log-odds for content of each segment's place over window and page, `margin` off 0 and 1."""
    cdef Py_ssize_t segment, count = wanted.shape[0], known = keys.shape[0], place, slot, size = 16
    cdef const uint64_t *first = &keys[0] if known else NULL
    cdef double probability
    while size < 2 * count:
        size *= 2
    groups, odds = np.full(size, -1, np.int32), np.empty(count)
    cdef int32_t[::1] leader = groups
    cdef int64_t[:, ::1] total = np.zeros((2, count), np.int64)
    cdef int32_t[::1] group = np.empty(count, np.int32)
    cdef double[::1] result = odds
    for segment in range(count):
        slot = <Py_ssize_t>(wanted[segment] & <uint64_t>(size - 1))
        while leader[slot] >= 0 and wanted[leader[slot]] != wanted[segment]:
            slot = (slot + 1) & (size - 1)
        if leader[slot] < 0:
            leader[slot] = <int32_t>segment
            place = find(first, known, wanted[segment])
            if place < known and keys[place] == wanted[segment]:
                total[0, segment], total[1, segment] = sums[0, place], sums[1, place]
        group[segment] = leader[slot]
        total[0, leader[slot]] += words[segment]
        total[1, leader[slot]] += mass[segment]
    for segment in range(count):
        probability = total[1, group[segment]] / (unit * <double>total[0, group[segment]])
        probability = min(max(probability, margin), 1 - margin)
        result[segment] = log(probability / (1 - probability))
    return odds
