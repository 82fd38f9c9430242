"""Names of places down a tree; see places.py."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level._hashing cimport mix
from templ_core.site_level.places._element_types cimport CELL, CELLS, COLUMNS, IS_BLOCK, STEM, TAG

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def name_places(element_types, element_type, parent, int positions):
    """Path, cell and anchor of each node; positions of cells are told apart as far as `positions`."""
    cdef Py_ssize_t count = len(element_type), node, above
    cdef const uint64_t *type_row = <const uint64_t *>items(element_types, 8)
    cdef const int32_t *type_of = <const int32_t *>items(element_type, 4)
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
        row = type_row + type_of[node] * COLUMNS
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


def place_columns(path, cell, anchor, owner, boxes, first, last, words):
    """Path, cell and anchor of each segment, its words; cell, first and last segment of each box."""
    cdef Py_ssize_t count = len(owner), box_count = len(boxes), segment, box
    cdef const uint64_t *path_of = <const uint64_t *>items(path, 8)
    cdef const uint64_t *cell_of = <const uint64_t *>items(cell, 8)
    cdef const uint64_t *anchor_of = <const uint64_t *>items(anchor, 8)
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef const int64_t *box_node = <const int64_t *>items(boxes, 8)
    cdef const int64_t *first_of = <const int64_t *>items(first, 8)
    cdef const int64_t *last_of = <const int64_t *>items(last, 8)
    cdef const double *words_of = <const double *>items(words, 8)
    hashes, lengths = np.empty((3, count), np.uint64), np.empty(count, np.int32)
    box_cells, ranges = np.empty(box_count, np.uint64), np.empty((2, box_count), np.int32)
    cdef uint64_t *name = <uint64_t *>items(hashes, 8, True)
    cdef int32_t *length = <int32_t *>items(lengths, 4, True)
    cdef uint64_t *box_cell = <uint64_t *>items(box_cells, 8, True)
    cdef int32_t *box_range = <int32_t *>items(ranges, 4, True)
    for segment in range(count):
        name[segment] = path_of[owner_of[segment]]
        name[count + segment] = cell_of[owner_of[segment]]
        name[2 * count + segment] = anchor_of[owner_of[segment]]
        length[segment] = <int32_t>words_of[segment]
    for box in range(box_count):
        box_cell[box] = cell_of[box_node[box]]
        box_range[box] = <int32_t>first_of[box_node[box]]
        box_range[box_count + box] = <int32_t>last_of[box_node[box]]
    return hashes[0], hashes[1], hashes[2], lengths, box_cells, ranges[0], ranges[1]
