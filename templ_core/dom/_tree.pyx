import numpy as np


def parents_and_ends(const int[::1] depth):
    cdef Py_ssize_t count = depth.shape[0], node, open_node = -1
    parents, ends = np.empty(count, np.int32), np.empty(count, np.int32)
    cdef int[::1] parent = parents, end = ends
    for node in range(count):
        while open_node >= 0 and depth[open_node] >= depth[node]:
            end[open_node] = <int>node
            open_node = parent[open_node]
        parent[node] = <int>open_node
        open_node = node
    while open_node >= 0:
        end[open_node] = <int>count
        open_node = parent[open_node]
    return parents, ends


def bits_above(const int[::1] parent, const int[::1] kind, const int[::1] bits, const int[::1] at):
    cdef Py_ssize_t count = parent.shape[0], node
    of_node, of_place = np.empty(count, np.int32), np.empty(at.shape[0], np.int32)
    cdef int[::1] own = of_node, result = of_place
    for node in range(count):
        own[node] = bits[kind[node]]
        if parent[node] >= 0:
            own[node] |= own[parent[node]]
    for node in range(at.shape[0]):
        result[node] = own[at[node]]
    return of_place


def tag_bits(list kinds, dict bits_of_tags):
    """Bits of each kind's tag, 0 for others."""
    cdef Py_ssize_t number
    cdef object bits
    result = np.empty(len(kinds), np.int32)
    cdef int[::1] of_kind = result
    for number in range(len(kinds)):
        bits = bits_of_tags.get((<tuple>kinds[number])[0])
        of_kind[number] = 0 if bits is None else <int>bits
    return result
