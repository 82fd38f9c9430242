"""Compiled loop over the nodes of a page; see `text_tree.py`."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from templ_core._arrays cimport items


def text_tree(first_column, last_column, word_column):
    """Return the columns of `TextTree` by name.

    The stack holds the nodes around the next node or segment; a segment follows all that stands
    before it.
    """
    cdef Py_ssize_t nodes = len(first_column), segments = len(word_column), node, height = 0
    cdef const int64_t *first = <const int64_t *>items(first_column, 8)
    cdef const int64_t *last = <const int64_t *>items(last_column, 8)
    cdef const double *words = <const double *>items(word_column, 8)
    parent, leaf = np.empty(nodes + segments, np.int32), np.empty(segments, np.int32)
    before_column, inside = np.zeros(segments + 1), np.empty(nodes + segments)
    around_column, number_column = np.empty((2, nodes), np.int32)
    cdef int32_t *parent_of = <int32_t *>items(parent, 4, True)
    cdef int32_t *leaf_of = <int32_t *>items(leaf, 4, True)
    cdef int32_t *around = <int32_t *>items(around_column, 4, True)
    cdef int32_t *number = <int32_t *>items(number_column, 4, True)
    cdef double *before = <double *>items(before_column, 8, True)
    cdef double *words_inside = <double *>items(inside, 8, True)
    cdef Py_ssize_t size = 0, segment = 0, end
    for segment in range(segments):
        before[segment + 1] = before[segment] + words[segment]
    segment = 0
    for node in range(nodes + 1):
        end = segments if node == nodes else first[node]
        if node < nodes and last[node] - first[node] < 2:
            continue
        while segment < end:
            while height and last[around[height - 1]] <= segment:
                height -= 1
            parent_of[size] = number[height - 1] if height else -1
            words_inside[size], leaf_of[segment] = words[segment], size
            size += 1
            segment += 1
        if node == nodes:
            break
        while height and last[around[height - 1]] <= first[node]:
            height -= 1
        if height and first[around[height - 1]] == first[node] and last[around[height - 1]] == last[node]:
            continue
        parent_of[size] = number[height - 1] if height else -1
        words_inside[size] = before[last[node]] - before[first[node]]
        around[height], number[height] = node, size
        height += 1
        size += 1
    return dict(parent=parent[:size], leaf=leaf, words=inside[:size])
