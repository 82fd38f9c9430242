"""Names the places of a page's elements, see `templ_core.site_level.places.places`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level._hashing cimport mix
from templ_core.site_level.places._element_types cimport CELL, CELLS, COLUMNS, IS_BLOCK, STEM, TAG

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def name_places(element_types, element_type, parent, int positions_max):
    """Return path, cell and anchor of each node.

    Args:
        element_types: `element_type_rows` of the page.
        element_type: Index of each node's element type.
        parent: Index of each node's parent; negative for the root.
        positions_max: Cells of one parent whose positions are told apart, at most 255.
    """
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
            if before[0] < positions_max:
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


def page_columns(nodes, owner, tree):
    """Return columns of a `PagePlaces` by name.

    Args:
        nodes: The `NodePlaces` of the page.
        owner: The element that owns each segment.
        tree: The `PageTree` of the page.
    """
    cdef Py_ssize_t count = len(owner), segment, name, node, elements = len(nodes.cell), filled = 0, before = -1
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef const uint64_t *cell = <const uint64_t *>items(nodes.cell, 8)
    cdef const double *words = <const double *>items(tree.words, 8)
    cdef const int64_t *start = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *end = <const int64_t *>items(tree.last, 8)
    cdef const uint64_t *known
    names, numbers = np.empty((3, count), np.uint64), np.empty(count, np.int32)
    cells, borders = np.empty(elements, np.uint64), np.empty((2, elements), np.int32)
    cdef uint64_t *own = <uint64_t *>items(names, 8, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    cdef uint64_t *container = <uint64_t *>items(cells, 8, True)
    cdef int32_t *first = <int32_t *>items(borders, 4, True)
    cdef int32_t *last = first + elements
    for name, column in enumerate((nodes.path, nodes.cell, nodes.anchor)):
        known = <const uint64_t *>items(column, 8)
        for segment in range(count):
            own[name * count + segment] = known[owner_of[segment]]
    for segment in range(count):
        number[segment] = <int32_t>words[segment]
    for node in range(elements):
        if end[node] <= start[node]:
            continue
        # Elements that hold the same segments follow each other, the deepest one last.
        if before < 0 or start[before] != start[node] or end[before] != end[node]:
            filled += 1
        container[filled - 1], first[filled - 1], last[filled - 1] = cell[node], <int32_t>start[node], <int32_t>end[node]
        before = node
    return {
        "path": names[0],
        "cell": names[1],
        "anchor": names[2],
        "words": numbers,
        "containers": cells[:filled].copy(),
        "first": borders[0, :filled].copy(),
        "last": borders[1, :filled].copy(),
    }
