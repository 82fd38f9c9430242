"""Names of places down a tree; see places.py."""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core.page_level._hashing cimport mix
from templ_core.site_level._element_kinds cimport CELL, CELLS, IS_BLOCK, STEM, TAG

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def name_places(
    const uint64_t[:, ::1] kinds, const int[::1] kind, const int[::1] parent, int positions
):
    """Path, cell and anchor of each node; positions of cells are told apart as far as `positions`."""
    cdef Py_ssize_t count = kind.shape[0], node, above
    cdef uint64_t stem, position, cell
    cdef bint named
    cdef const uint64_t *row
    cdef uint8_t *before
    names = np.empty((3, count), np.uint64)
    cdef uint64_t[:, ::1] name = names
    cdef uint8_t *seen = <uint8_t *>calloc(count * CELLS + CELLS, 1)
    if seen == NULL:
        raise MemoryError
    for node in range(count):
        row = &kinds[kind[node], 0]
        stem, cell, above, position = row[STEM], row[CELL], parent[node], 0
        if cell:
            before = seen + (above + 1) * CELLS + cell
            if before[0] < positions:
                before[0] += 1
                position = before[0] if stem == row[TAG] else 0
        named = stem != row[TAG] and row[IS_BLOCK]
        if above < 0:
            name[0, node] = mix(stem)
            name[1, node] = mix(stem + position * FACTOR)
            name[2, node] = mix(stem if named else row[TAG])
        else:
            name[0, node] = mix(name[0, above] * FACTOR + stem)
            name[1, node] = mix(name[1, above] * FACTOR + stem + position * FACTOR)
            name[2, node] = mix(stem) if named else mix(name[2, above] * FACTOR + row[TAG])
    free(seen)
    return names[0], names[1], names[2]
