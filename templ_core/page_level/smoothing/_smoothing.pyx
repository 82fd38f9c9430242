"""Compiled loops of the isotonic smoothing; see `templ_core.page_level.smoothing.isotonic`."""

from libc.math cimport INFINITY, fabs

import numpy as np

# The number of a value: a byte where there are few values.
ctypedef fused ValueNumber:
    unsigned char
    int


def fill_choices(
    const int[::1] parent,
    const double[::1] score,
    const double[::1] weight,
    const double[::1] penalty,
    const double[::1] values,
    ValueNumber[:, ::1] choice,
):
    """Fill in, for each node and value of its parent, the number of the node's cheapest value.

    This is BuildError, from the leaves up: `below` holds what a subtree costs by the parent's value.
    """
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
    # By depth and value: the summed costs of the subtrees below the node of that depth which is
    # reached next, going backwards.
    cdef double[:, ::1] below = np.zeros((deepest + 2, last + 1))
    cdef double* own
    cdef double* above
    cdef ValueNumber* taken
    for node in range(count - 1, -1, -1):
        x, w = score[node], weight[node]
        gamma = penalty[node] if parent[node] >= 0 else 0.0
        own, above, taken = &below[depth[node] + 1, 0], &below[depth[node], 0], &choice[node, 0]
        if node == count - 1 or depth[node + 1] <= depth[node]:
            _fill_leaf(x, w, gamma, &values[0], last, above, taken)
            continue
        best_value = last
        best = own[last] + w * fabs(x - values[last])
        own[last] = 0
        above[last] += best
        taken[last] = <ValueNumber>last
        for value in range(last - 1, -1, -1):
            cost = own[value] + w * fabs(x - values[value])
            own[value] = 0
            dearer = best + gamma
            above[value] += cost if cost <= dearer else dearer
            taken[value] = <ValueNumber>(value if cost <= dearer else best_value)
            best_value = value if cost <= best else best_value
            best = cost if cost <= best else best


cdef void _fill_leaf(
    double x,
    double w,
    double gamma,
    const double* values,
    Py_ssize_t last,
    double* above,
    ValueNumber* taken,
) noexcept:
    """Fill in the choices of a leaf, whose cost falls up to the value nearest to its score and then rises.

    Below that value a leaf stays with its parent or goes to it; from there on it stays.
    """
    cdef Py_ssize_t value, nearest = 0
    cdef double least, cost
    for value in range(1, last + 1):
        if fabs(x - values[value]) < fabs(x - values[nearest]):
            nearest = value
    least = w * fabs(x - values[nearest]) + gamma
    for value in range(nearest):
        cost = w * fabs(x - values[value])
        above[value] += cost if cost <= least else least
        taken[value] = <ValueNumber>(value if cost <= least else nearest)
    for value in range(nearest, last + 1):
        above[value] += w * fabs(x - values[value])
        taken[value] = <ValueNumber>value


def walk_down(const int[::1] parent, const ValueNumber[:, ::1] choice):
    """Return the number of each node's value, and its section, from the roots down."""
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


def settle(
    const int[::1] parent,
    const double[::1] score,
    const double[::1] weight,
    const int[::1] section,
    const double[::1] values,
    const int[::1] taken,
    const Py_ssize_t[::1] ascending,
):
    """Move each section to the weighted median of its scores, between the sections around it.

    Args:
        parent: Parent of each node in document order.
        score: Score of each node.
        weight: Weight of each node.
        section: Section of each node.
        values: The values of the grid.
        taken: Number of each node's value.
        ascending: The nodes by rising score.

    Returns:
        Smoothed scores and sections; sections that meet are joined.
    """
    cdef Py_ssize_t place, node, own, count = parent.shape[0]
    cdef Py_ssize_t sections = 1 + max(section, default=-1)
    cdef int[::1] above = np.full(sections, -1, np.int32)
    cdef double[::1] y = np.zeros(sections), median = np.zeros(sections)
    cdef double[::1] total = np.zeros(sections), lighter = np.zeros(sections)
    cdef double[::1] limit = np.full(sections, np.inf)
    for node in range(count):
        own = section[node]
        total[own] += weight[node]
        y[own] = median[own] = values[taken[node]]
        if parent[node] >= 0 and section[parent[node]] != own:
            above[own] = section[parent[node]]
    for place in range(count):
        node = ascending[place]
        own = section[node]
        if 2 * lighter[own] < total[own] <= 2 * (lighter[own] + weight[node]):
            median[own] = score[node]
        lighter[own] += weight[node]
    for own in range(sections):
        if above[own] >= 0:
            limit[above[own]] = min(limit[above[own]], y[own])
    for own in range(sections):
        y[own] = max(min(median[own], limit[own]), y[above[own]] if above[own] >= 0 else -INFINITY)
        limit[own] = INFINITY
    for own in range(sections - 1, -1, -1):
        y[own] = max(min(median[own], limit[own]), y[above[own]] if above[own] >= 0 else -INFINITY)
        if above[own] >= 0:
            limit[above[own]] = min(limit[above[own]], y[own])
    return _read_off(parent, section, y)


cdef _read_off(const int[::1] parent, const int[::1] section, const double[::1] y):
    """Return each node's score, and sections of which neighbours with one score are joined."""
    cdef Py_ssize_t node, count = parent.shape[0]
    cdef int sections = 0
    scores, sections_of = np.empty(count), np.empty(count, np.int32)
    cdef double[::1] smoothed = scores
    cdef int[::1] number = sections_of
    for node in range(count):
        smoothed[node] = y[section[node]]
        if parent[node] >= 0 and smoothed[node] == smoothed[parent[node]]:
            number[node] = number[parent[node]]
        else:
            number[node] = sections
            sections += 1
    return scores, sections_of
