"""The columns of labelled trees; see `labelled_tree.py`."""

from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS, IS_BLOCK, TAG
from templ_core.site_level._hashing cimport mixed

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15
cdef uint64_t LEAF = 0x9E3779B97F4A7C15
"""Labels of leaves are their texts' hashes, changed by this, so that no element has the label of a text."""


def closed_tree(label, depth):
    """Return identity and end of each node of a tree in document order."""
    cdef Py_ssize_t count = len(label)
    identities, ends = np.empty(count, np.uint64), np.empty(count, np.int32)
    if count:
        close_tree(
            <const uint64_t *>items(label, 8), <const int32_t *>items(depth, 4), count,
            <uint64_t *>items(identities, 8, True), <int32_t *>items(ends, 4, True),
        )
    return identities, ends


cdef int close_tree(
    const uint64_t *label, const int32_t *depth, Py_ssize_t count, uint64_t *identity, int32_t *end
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


def page_blocks(document, element_types):
    """Return tag and depth of each node of a page's tree; the tag of a text is 0.

    Args:
        document: The page.
        element_types: Its `element_type_rows`.
    """
    nodes, segments = document.nodes, document.segments
    cdef Py_ssize_t count = len(nodes.element_type), leaves = len(segments.owner), size = leaves
    cdef Py_ssize_t node, leaf, above, filled = 0, next_leaf = 0
    cdef const uint64_t *type_row = <const uint64_t *>items(element_types, 8)
    cdef const uint64_t *row
    cdef const int32_t *type_of = <const int32_t *>items(nodes.element_type, 4)
    cdef const int32_t *parent_of = <const int32_t *>items(nodes.parent, 4)
    cdef const int32_t *owner_of = <const int32_t *>items(segments.owner, 4)
    cdef const int32_t *behind = <const int32_t *>items(segments.inline_to, 4)
    insides, levels = np.zeros(count, np.int32), np.empty(count, np.int32)
    cdef int32_t *inside = <int32_t *>items(insides, 4, True)
    cdef int32_t *level = <int32_t *>items(levels, 4, True)
    for leaf in range(leaves):
        inside[owner_of[leaf]] += 1
    for node in range(count - 1, -1, -1):
        if parent_of[node] >= 0:
            inside[parent_of[node]] += inside[node]
        size += inside[node] > 0 and type_row[type_of[node] * COLUMNS + IS_BLOCK] > 0
    tags, depths = np.empty(size, np.uint16), np.empty(size, np.int32)
    cdef uint16_t *tag = <uint16_t *>items(tags, 2, True)
    cdef int32_t *depth = <int32_t *>items(depths, 4, True)
    for node in range(count + 1):
        while next_leaf < leaves and (node == count or behind[next_leaf] <= node):
            tag[filled], depth[filled] = 0, level[owner_of[next_leaf]] + 1
            filled += 1
            next_leaf += 1
        if node == count:
            break
        row, above = type_row + type_of[node] * COLUMNS, parent_of[node]
        level[node] = (level[above] if above >= 0 else -1) + (row[IS_BLOCK] > 0)
        if row[IS_BLOCK] and inside[node]:
            tag[filled], depth[filled] = <uint16_t>(row[TAG] % 65535 + 1), level[node]
            filled += 1
    return tags, depths


def labelled(tags, depths, texts):
    """Return label, identity, end and segment of each node, and the distinct paths of its elements.

    Args:
        tags: Tag of each node; 0 for a text.
        depths: Depth of each node; no node is more than one below the node before it.
        texts: Hash of each text, in document order.
    """
    cdef Py_ssize_t count = len(tags), node, leaf = 0, found = 0, filled = 0
    cdef const uint16_t *tag = <const uint16_t *>items(tags, 2)
    cdef const int32_t *depth = <const int32_t *>items(depths, 4)
    cdef const uint64_t *text = <const uint64_t *>items(texts, 8)
    labels, identities = np.empty(count, np.uint64), np.empty(count, np.uint64)
    ends, leaves = np.empty(count, np.int32), np.empty(count, np.int32)
    paths, names = np.empty(count, np.uint64), np.empty(count + 1, np.uint64)
    cdef uint64_t *label = <uint64_t *>items(labels, 8, True)
    cdef int32_t *segment = <int32_t *>items(leaves, 4, True)
    cdef uint64_t *path = <uint64_t *>items(paths, 8, True)
    cdef uint64_t *name = <uint64_t *>items(names, 8, True)
    name[0] = 1
    for node in range(count):
        if tag[node]:
            label[node], segment[node] = tag[node], -1
            name[depth[node] + 1] = path[found] = mixed(tag[node] + mixed(name[depth[node]]))
            found += 1
        else:
            label[node], segment[node] = text[leaf] ^ LEAF, <int32_t>leaf
            leaf += 1
    if count:
        close_tree(
            label, depth, count,
            <uint64_t *>items(identities, 8, True), <int32_t *>items(ends, 4, True),
        )
    sorted_paths = paths[:found]
    sorted_paths.sort()
    for node in range(found):
        if not node or path[node] != path[filled - 1]:
            path[filled] = path[node]
            filled += 1
    return labels, identities, ends, leaves, paths[:filled]
