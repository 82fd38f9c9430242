"""Labelled trees as columns; see labelled_tree.py."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from templ_core.site_level._element_kinds cimport IS_BLOCK, STYLE, TAG
from templ_core.site_level._hashing cimport mixed

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15
cdef uint64_t LEAF = 0x9E3779B97F4A7C15
"""Keeps labels of leaves apart from other uses of their texts' hashes."""


def closed_tree(const uint64_t[::1] label, const int[::1] depth):
    """Identity and end of each node in document order."""
    cdef Py_ssize_t count = label.shape[0]
    identities, ends = np.empty(count, np.uint64), np.empty(count, np.int32)
    cdef uint64_t[::1] identity = identities
    cdef int[::1] end = ends
    if count:
        close_tree(&label[0], &depth[0], count, &identity[0], &end[0])
    return identities, ends


cdef int close_tree(
    const uint64_t *label, const int *depth, Py_ssize_t count, uint64_t *identity, int *end
) except -1:
    cdef Py_ssize_t node, last = -1
    cdef int *parent = <int *>malloc(count * sizeof(int))
    if parent == NULL:
        raise MemoryError
    for node in range(count):
        while last >= 0 and depth[last] >= depth[node]:
            end[last] = <int>node
            last = parent[last]
        parent[node] = <int>last
        identity[node] = 1
        last = node
    while last >= 0:
        end[last] = <int>count
        last = parent[last]
    for node in range(count - 1, -1, -1):
        identity[node] = mixed(label[node] + mixed(identity[node]))
        if parent[node] >= 0:
            identity[parent[node]] = identity[parent[node]] * FACTOR + identity[node]
    free(parent)
    return 0


def page_tree(
    const uint64_t[:, ::1] kinds, const int[::1] kind, const int[::1] parent,
    const int[::1] owner, const int[::1] inline_to, const uint64_t[::1] texts,
):
    """Label, identity, depth, end and segment of each node; the path of each element."""
    cdef Py_ssize_t count = kind.shape[0], leaves = owner.shape[0], size = leaves
    cdef Py_ssize_t node, leaf, above, filled = 0, next_leaf = 0, elements = 0
    cdef const uint64_t *row
    scratch, names = np.zeros((2, count), np.int32), np.empty(count, np.uint64)
    cdef int[::1] inside = scratch[0], level = scratch[1]
    cdef uint64_t[::1] name = names
    for leaf in range(leaves):
        inside[owner[leaf]] += 1
    for node in range(count - 1, -1, -1):
        if parent[node] >= 0:
            inside[parent[node]] += inside[node]
        size += inside[node] > 0 and kinds[kind[node], IS_BLOCK] > 0
    hashes, numbers = np.empty((2, size), np.uint64), np.empty((3, size), np.int32)
    paths = np.empty(size - leaves, np.uint64)
    cdef uint64_t[::1] label = hashes[0], identity = hashes[1], path = paths
    cdef int[::1] depth = numbers[0], end = numbers[1], segment = numbers[2]
    for node in range(count + 1):
        while next_leaf < leaves and (node == count or inline_to[next_leaf] <= node):
            label[filled] = texts[next_leaf] ^ LEAF
            depth[filled] = level[owner[next_leaf]] + 1
            segment[filled] = <int>next_leaf
            filled += 1
            next_leaf += 1
        if node == count:
            break
        row, above = &kinds[kind[node], 0], parent[node]
        level[node] = (level[above] if above >= 0 else -1) + (row[IS_BLOCK] > 0)
        name[node] = name[above] if above >= 0 else 0
        if row[IS_BLOCK]:
            name[node] = mixed(row[STYLE] + (mixed(name[node]) if level[node] else 1))
            if inside[node]:
                label[filled], depth[filled], segment[filled] = row[TAG], level[node], -1
                path[elements] = name[node]
                filled += 1
                elements += 1
    if size:
        close_tree(&label[0], &depth[0], size, &identity[0], &end[0])
    return *hashes, *numbers, paths
