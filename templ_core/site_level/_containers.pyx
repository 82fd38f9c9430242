"""Elements that hold a page's content; see containers.py."""

from libc.stdint cimport int32_t, int64_t

import numpy as np


def box_nodes(const int64_t[::1] first, const int64_t[::1] last):
    """The deepest element of each range of segments, in document order."""
    cdef Py_ssize_t node, filled = 0, before = -1
    nodes = np.empty(first.shape[0], np.int64)
    cdef int64_t[::1] box = nodes
    for node in range(first.shape[0]):
        if last[node] <= first[node]:
            continue
        # Elements of one range follow each other, downwards.
        if before < 0 or first[before] != first[node] or last[before] != last[node]:
            filled += 1
        box[filled - 1] = node
        before = node
    return nodes[:filled]


def find_containers(
    const int32_t[::1] first, const int32_t[::1] last, const double[::1] content,
    const double[::1] words, double share, double even,
):
    """Number of the smallest box with `share` of the content mass, and of the box of most gain."""
    cdef Py_ssize_t segment, box, count = words.shape[0], smallest = -1, best = -1
    cdef double enough, most = -1e300
    cdef double[:, ::1] before = np.zeros((2, count + 1))
    for segment in range(count):
        before[0, segment + 1] = before[0, segment] + content[segment] * words[segment]
        before[1, segment + 1] = before[1, segment] + (content[segment] - 0.5) * words[segment]
    enough = share * before[0, count] - even
    for box in range(first.shape[0]):
        most = max(most, before[1, last[box]] - before[1, first[box]])
    most -= even
    for box in range(first.shape[0]):
        if before[0, last[box]] - before[0, first[box]] >= enough and (
            smallest < 0 or last[box] - first[box] < last[smallest] - first[smallest]
        ):
            smallest = box
        if before[1, last[box]] - before[1, first[box]] >= most and (
            best < 0 or last[box] - first[box] < last[best] - first[best]
        ):
            best = box
    return smallest, best


def steps_from(
    const int64_t[::1] first, const int64_t[::1] last, const int32_t[::1] parent,
    Py_ssize_t node, Py_ssize_t segments, int steps_max,
):
    """Steps from `node` up to the first element that also holds each segment, at most `steps_max`."""
    cdef Py_ssize_t segment
    cdef int64_t low = first[node], high = low
    cdef int step
    steps = np.full(segments, <double>steps_max)
    cdef double[::1] result = steps
    for step in range(steps_max):
        for segment in range(first[node], low):
            result[segment] = step
        for segment in range(high, last[node]):
            result[segment] = step
        low, high = first[node], last[node]
        if parent[node] < 0:
            break
        node = parent[node]
    return steps


def highest_around(
    const double[::1] value, const int64_t[::1] first, const int64_t[::1] last,
    Py_ssize_t segments,
):
    """The highest of the values of elements around each segment, at least 0."""
    cdef Py_ssize_t node, segment
    highest = np.zeros(segments)
    cdef double[::1] around = highest
    for node in range(value.shape[0]):
        if value[node] > 0:
            for segment in range(first[node], last[node]):
                around[segment] = max(around[segment], value[node])
    return highest


def mean_around(
    const double[::1] content, const double[::1] words, const int64_t[::1] first,
    const int64_t[::1] last, const int32_t[::1] parent, const int32_t[::1] owner, int levels,
):
    """Mean of `content` by words inside the element so many levels above each segment's owner."""
    cdef Py_ssize_t node, segment, count = words.shape[0]
    cdef int level
    cdef double[:, ::1] before = np.zeros((2, count + 1))
    means = np.empty(count)
    cdef double[::1] mean = means
    for segment in range(count):
        before[0, segment + 1] = before[0, segment] + content[segment] * words[segment]
        before[1, segment + 1] = before[1, segment] + words[segment]
    for segment in range(count):
        node = owner[segment]
        for level in range(levels):
            if parent[node] >= 0:
                node = parent[node]
        mean[segment] = (before[0, last[node]] - before[0, first[node]]) / (
            before[1, last[node]] - before[1, first[node]]
        )
    return means
