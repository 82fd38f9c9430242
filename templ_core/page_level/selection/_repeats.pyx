"""Which copy of each text is the surest, by a table of hashes."""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items


def surest_copies(text_column, log_odds_column):
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
    """Where the segment with this text is in the table, or is to be put."""
    cdef uint64_t slot = (value ^ value >> 32) & mask
    while table[slot] and text[table[slot] - 1] != value:
        slot = (slot + 1) & mask
    return slot
