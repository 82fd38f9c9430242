"""Ranges of segments in the tree of a page, see `templ_core.page_level.page_tree`."""

from libc.stdint cimport int64_t

import numpy as np


def read_ranges(
    const int[::1] parent,
    const int[::1] owner,
    const int[::1] inline_to,
    const double[::1] words,
    int levels,
    double top_share,
):
    """First, last, up and compressed depth of the nodes, then the nodes above the segments."""
    cdef Py_ssize_t nodes = parent.shape[0], segments = owner.shape[0], node, segment = 0
    cdef int64_t above
    cdef int level
    cdef double small = 0
    ranges, numbers = np.empty((4, nodes), np.int64), np.empty((levels + 1, segments), np.int64)
    cdef int64_t[::1] first = ranges[0], last = ranges[1], up = ranges[2], depth = ranges[3]
    cdef int64_t[:, ::1] levels_of = numbers
    cdef int64_t[::1] count = np.zeros(nodes, np.int64)
    cdef int64_t[::1] top = np.empty(nodes, np.int64), highest = np.empty(nodes, np.int64)
    cdef double[::1] inside = np.zeros(nodes)
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
            levels_of[level, segment] = above
            above = up[above]
        levels_of[levels, segment] = highest[node]
    return (*ranges, numbers)
