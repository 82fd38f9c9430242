"""Names of places down a tree; see places.py."""

from libc.stdint cimport uint64_t

import numpy as np

from templ_core.page_level._hashing cimport mix


def names_down(const uint64_t[:, ::1] steps, const uint64_t[:, ::1] factors, const int[::1] parent):
    cdef Py_ssize_t row, node
    cdef uint64_t above
    names = np.empty((steps.shape[0], steps.shape[1]), np.uint64)
    cdef uint64_t[:, ::1] result = names
    for row in range(steps.shape[0]):
        for node in range(steps.shape[1]):
            if parent[node] < 0:
                result[row, node] = mix(steps[row, node])
            else:
                above = result[row, parent[node]]
                result[row, node] = mix(above * factors[row, node] + steps[row, node])
    return names
