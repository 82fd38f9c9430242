"""Looks up sums by their keys for `templ_core.site_level.places.keyed_sums`."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._lookup cimport find


def sums_of(keys, sums, wanted):
    """Return the sums of the wanted keys, 0 for unknown ones; (n_sums, len(wanted))."""
    cdef Py_ssize_t known = len(keys), rows = len(sums), count = len(wanted), row, place, number
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *sum_of = <const int64_t *>items(sums, 8)
    cdef const uint64_t *asked = <const uint64_t *>items(wanted, 8)
    found = np.zeros((rows, count), np.int64)
    cdef int64_t *result = <int64_t *>items(found, 8, True)
    for number in range(count):
        place = find(key, known, asked[number])
        if place < known and key[place] == asked[number]:
            for row in range(rows):
                result[row * count + number] = sum_of[row * known + place]
    return found
