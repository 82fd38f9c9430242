from libc.math cimport fabs

import numpy as np

ctypedef fused Choice:
    unsigned char
    int


def fill_choices(
    const int[::1] parent,
    const double[::1] score,
    const double[::1] weight,
    const double[::1] penalty,
    const double[::1] values,
    Choice[:, ::1] choice,
):
    cdef Py_ssize_t node, value, best_value, count = parent.shape[0], last = values.shape[0] - 1
    cdef double cost, best, dearer, x, w, gamma
    cdef int[::1] depth = np.zeros(count, np.int32), open_node = np.full(count, -1, np.int32)
    cdef int deepest = 0
    for node in range(count):
        if parent[node] >= 0:
            if parent[node] >= node or open_node[depth[parent[node]]] != parent[node]:
                raise ValueError(f"node {node} is not in document order")
            depth[node] = depth[parent[node]] + 1
            deepest = max(deepest, depth[node])
        open_node[depth[node]] = <int>node
    # Summed costs of the children of the node of each depth that comes next on the way backwards.
    cdef double[:, ::1] below = np.zeros((deepest + 2, last + 1))
    cdef double* own
    cdef double* above
    cdef Choice* taken
    for node in range(count - 1, -1, -1):
        x, w = score[node], weight[node]
        gamma = penalty[node] if parent[node] >= 0 else 0.0
        own, above, taken = &below[depth[node] + 1, 0], &below[depth[node], 0], &choice[node, 0]
        best_value = last
        best = own[last] + w * fabs(x - values[last])
        own[last] = 0
        above[last] += best
        taken[last] = <Choice>last
        for value in range(last - 1, -1, -1):
            cost = own[value] + w * fabs(x - values[value])
            own[value] = 0
            dearer = best + gamma
            above[value] += cost if cost <= dearer else dearer
            taken[value] = <Choice>(value if cost <= dearer else best_value)
            best_value = value if cost <= best else best_value
            best = cost if cost <= best else best


def walk_down(const int[::1] parent, const Choice[:, ::1] choice):
    cdef Py_ssize_t node, count = parent.shape[0]
    cdef int sections = 0
    values, sections_of = np.empty(count, np.int32), np.empty(count, np.int32)
    cdef int[::1] value = values, section = sections_of
    for node in range(count):
        value[node] = choice[node, value[parent[node]] if parent[node] >= 0 else 0]
        if parent[node] >= 0 and value[node] == value[parent[node]]:
            section[node] = section[parent[node]]
        else:
            section[node] = sections
            sections += 1
    return values, sections_of
