"""A cache of what is known about element types, see `templ_core.site_level.places.element_types`.

It is a hash table of fixed size, one line of the processor's cache for each element type.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS
from templ_core.site_level._hashing cimport mixed

cdef enum:
    LINES = 1 << 15
    TRIES = 4

cdef struct Line:
    uint64_t key[2]
    uint64_t row[COLUMNS]

cdef Line *lines = NULL


def known_rows(list element_types, row_of):
    """Return the rows of some element types; rows that are not in the cache are made by `row_of`.

    Args:
        element_types: Pairs of tag and attributes.
        row_of: Returns the bytes of the row of a tag and its attributes; equal ones give equal bytes.
    """
    global lines
    cdef Py_ssize_t number, count = len(element_types), trial
    cdef uint64_t key[2]
    cdef const char *bytes
    cdef Line *line
    cdef tuple pair
    if lines == NULL:
        lines = <Line *>calloc(LINES, sizeof(Line))
        if lines == NULL:
            raise MemoryError
    rows = np.empty((count, COLUMNS), np.uint64)
    cdef uint64_t *row = <uint64_t *>items(rows, 8, True)
    for number in range(count):
        pair = element_types[number]
        tag, attributes = pair[0], pair[1]
        # The hashes of strings are secret to the process, so no page can forge a collision.
        key[1] = <uint64_t>hash(tag) | 1
        key[0] = mixed(mixed(key[1]) + <uint64_t>hash(attributes))
        for trial in range(TRIES):
            line = &lines[(key[0] + <uint64_t>trial) & (LINES - 1)]
            if not line.key[1] or (  # A line without a key is empty.
                line.key[0] == key[0] and line.key[1] == key[1]
            ):
                break
        else:
            line = &lines[key[0] & (LINES - 1)]
        if line.key[0] != key[0] or line.key[1] != key[1]:
            made = row_of(tag, attributes)
            bytes = made
            memcpy(line.row, bytes, sizeof(line.row))
            line.key[0], line.key[1] = key[0], key[1]
        memcpy(row + number * COLUMNS, line.row, sizeof(line.row))
    return rows
