"""Names of places down a tree; see places.py."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level._hashing cimport mix
from templ_core.site_level._element_kinds cimport CELL, CELLS, COLUMNS, IS_BLOCK, STEM, TAG

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def name_places(kinds, kind, parent, int positions):
    """Path, cell and anchor of each node; positions of cells are told apart as far as `positions`."""
    cdef Py_ssize_t count = len(kind), node, above
    cdef const uint64_t *kind_row = <const uint64_t *>items(kinds, 8)
    cdef const int32_t *kind_of = <const int32_t *>items(kind, 4)
    cdef const int32_t *parent_of = <const int32_t *>items(parent, 4)
    names = np.empty((3, count), np.uint64)
    cdef uint64_t *path = <uint64_t *>items(names, 8, True)
    cdef uint64_t *cell = path + count
    cdef uint64_t *anchor = cell + count
    cdef uint64_t stem, position
    cdef bint named
    cdef const uint64_t *row
    cdef uint8_t *before
    cdef uint8_t *seen = <uint8_t *>calloc((count + 1) * CELLS, 1)
    if seen == NULL:
        raise MemoryError
    for node in range(count):
        row = kind_row + kind_of[node] * COLUMNS
        stem, above, position = row[STEM], parent_of[node], 0
        if row[CELL]:
            before = seen + (above + 1) * CELLS + row[CELL]
            if before[0] < positions:
                before[0] += 1
                position = before[0] if stem == row[TAG] else 0
        named = stem != row[TAG] and row[IS_BLOCK]
        if above < 0:
            path[node] = mix(stem)
            cell[node] = mix(stem + position * FACTOR)
            anchor[node] = mix(stem if named else row[TAG])
        else:
            path[node] = mix(path[above] * FACTOR + stem)
            cell[node] = mix(cell[above] * FACTOR + stem + position * FACTOR)
            anchor[node] = mix(stem) if named else mix(anchor[above] * FACTOR + row[TAG])
    free(seen)
    return names[0], names[1], names[2]
