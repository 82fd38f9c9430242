"""Ranges of segments in the tree of a page, see `templ_core.page_level.features.page_tree`."""

from libc.stdint cimport int64_t

import numpy as np

from templ_core._arrays cimport items


def read_ranges(
    parent_column, owner_column, inline_to_column, words_column, int levels, double top_share
):
    """First, last, up and compressed depth of the nodes, then the nodes above the segments."""
    cdef Py_ssize_t nodes = len(parent_column), segments = len(owner_column), node, segment = 0
    cdef const int *parent = <const int *>items(parent_column, 4)
    cdef const int *owner = <const int *>items(owner_column, 4)
    cdef const int *inline_to = <const int *>items(inline_to_column, 4)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef int64_t above
    cdef int level
    cdef double small = 0
    ranges, numbers = np.empty((4, nodes), np.int64), np.empty((levels + 1, segments), np.int64)
    cdef int64_t *first = <int64_t *>items(ranges, 8, True)
    cdef int64_t *last = first + nodes
    cdef int64_t *up = last + nodes
    cdef int64_t *depth = up + nodes
    cdef int64_t *levels_of = <int64_t *>items(numbers, 8, True)
    counts, inside_column = np.zeros((3, nodes), np.int64), np.zeros(nodes)
    cdef int64_t *count = <int64_t *>items(counts, 8, True)
    cdef int64_t *top = count + nodes
    cdef int64_t *highest = top + nodes
    cdef double *inside = <double *>items(inside_column, 8, True)
    for segment in range(segments):
        count[owner[segment]] += 1
        inside[owner[segment]] += words[segment]
        small += words[segment]
    small *= top_share
    for node in range(nodes - 1, 0, -1):
        count[parent[node]] += count[node]
        inside[parent[node]] += inside[node]
    segment = 0
    for node in range(nodes):
        while segment < segments and inline_to[segment] <= node:
            segment += 1
        first[node], last[node] = segment, segment + count[node]
        above = max(parent[node], 0)
        top[node] = highest[node] = node
        depth[node] = 0
        if node:
            depth[node] = depth[above] + (count[above] != count[node])
            if count[above] == count[node]:
                top[node] = top[above]
            if inside[above] < small:
                highest[node] = highest[above]
        up[node] = max(parent[top[node]], 0)
    for segment in range(segments):
        node = owner[segment]
        above = top[node] if count[node] > 1 else up[node]
        for level in range(levels):
            levels_of[level * segments + segment] = above
            above = up[above]
        levels_of[levels * segments + segment] = highest[node]
    return (*ranges, numbers)
