"""The compiled loop over the tree of a page; see `templ_core.page_level.page_tree`."""

from libc.stdint cimport int64_t

import numpy as np

from templ_core._arrays cimport items


def read_ranges(document, words_column, int levels, double top_share):
    """Return the columns of `PageTree` that follow from the tree, by name."""
    parent_column, segments_of = document.nodes.parent, document.segments
    cdef Py_ssize_t nodes = len(parent_column), segments = len(words_column), node, segment = 0
    cdef const int *parent = <const int *>items(parent_column, 4)
    cdef const int *owner = <const int *>items(segments_of.owner, 4)
    cdef const int *inline_to = <const int *>items(segments_of.inline_to, 4)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef int64_t above
    cdef int level
    cdef double small = 0
    columns = dict(
        first=np.empty(nodes, np.int64),
        last=np.empty(nodes, np.int64),
        up=np.empty(nodes, np.int64),
        compressed_depth=np.empty(nodes, np.int64),
        above=np.empty((levels + 1, segments), np.int64),
    )
    cdef int64_t *first = <int64_t *>items(columns["first"], 8, True)
    cdef int64_t *last = <int64_t *>items(columns["last"], 8, True)
    cdef int64_t *up = <int64_t *>items(columns["up"], 8, True)
    cdef int64_t *depth = <int64_t *>items(columns["compressed_depth"], 8, True)
    cdef int64_t *levels_of = <int64_t *>items(columns["above"], 8, True)
    count_column, inside_column = np.zeros(nodes, np.int64), np.zeros(nodes)
    top_column, highest_column = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    cdef int64_t *count = <int64_t *>items(count_column, 8, True)
    cdef double *inside = <double *>items(inside_column, 8, True)
    cdef int64_t *top = <int64_t *>items(top_column, 8, True)
    cdef int64_t *highest = <int64_t *>items(highest_column, 8, True)
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
    return columns
