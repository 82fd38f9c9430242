"""Sums by key; see counts.py."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

from templ_core.site_level.places._lookup cimport find


def sums_of(const uint64_t[::1] keys, const int64_t[:, :] sums, const uint64_t[:] wanted):
    """The sums of the wanted keys, 0 for those unknown; (n_sums, len(wanted))."""
    cdef Py_ssize_t count = keys.shape[0], rows = sums.shape[0], row, place, number
    cdef const uint64_t *first = &keys[0] if count else NULL
    found = np.empty((rows, wanted.shape[0]), np.int64)
    cdef int64_t[:, ::1] result = found
    for number in range(wanted.shape[0]):
        place = find(first, count, wanted[number])
        if place < count and keys[place] == wanted[number]:
            for row in range(rows):
                result[row, number] = sums[row, place]
        else:
            for row in range(rows):
                result[row, number] = 0
    return found
