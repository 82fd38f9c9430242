"""Elements that hold a page's text, see `templ_core.site_level.containers.containers`."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._lookup cimport find

cdef double TOLERANCE = 1e-9    # words by which a container may miss a bound, so that rounding decides nothing


def container_nodes(first, last):
    """Return the deepest element of each range of segments, in document order."""
    cdef Py_ssize_t node, count = len(first), filled = 0, before = -1
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    nodes = np.empty(count, np.int64)
    cdef int64_t *container = <int64_t *>items(nodes, 8, True)
    for node in range(count):
        if end[node] <= start[node]:
            continue
        # Elements that hold the same segments follow each other, the deepest one last.
        if before < 0 or start[before] != start[node] or end[before] != end[node]:
            filled += 1
        container[filled - 1] = node
        before = node
    return nodes[:filled]


def find_containers(first, last, content, words, double share):
    """Return two containers: the smallest one with `share` of the content mass, the one of most gain."""
    cdef Py_ssize_t segment, one, containers = len(first), count = len(words), smallest = -1, best = -1
    cdef const int32_t *start = <const int32_t *>items(first, 4)
    cdef const int32_t *end = <const int32_t *>items(last, 4)
    cdef const double *probability = <const double *>items(content, 8)
    cdef const double *weight = <const double *>items(words, 8)
    cdef double enough, most = -1e300
    sums = np.zeros((2, count + 1))
    cdef double *mass = <double *>items(sums, 8, True)
    cdef double *gain = mass + count + 1
    for segment in range(count):
        mass[segment + 1] = mass[segment] + probability[segment] * weight[segment]
        gain[segment + 1] = gain[segment] + (probability[segment] - 0.5) * weight[segment]
    enough = share * mass[count] - TOLERANCE
    for one in range(containers):
        most = max(most, gain[end[one]] - gain[start[one]])
    most -= TOLERANCE
    for one in range(containers):
        if mass[end[one]] - mass[start[one]] >= enough and (
            smallest < 0 or end[one] - start[one] < end[smallest] - start[smallest]
        ):
            smallest = one
        if gain[end[one]] - gain[start[one]] >= most and (
            best < 0 or end[one] - start[one] < end[best] - start[best]
        ):
            best = one
    return smallest, best


def steps_from(first, last, parent, Py_ssize_t node, Py_ssize_t segments, int steps_max):
    """Return the steps from `node` up to the first element that holds each segment, at most `steps_max`."""
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef const int32_t *parent_of = <const int32_t *>items(parent, 4)
    cdef Py_ssize_t segment
    cdef int64_t low = start[node], high = low
    cdef int step
    steps = np.empty(segments)
    cdef double *result = <double *>items(steps, 8, True)
    for segment in range(segments):
        result[segment] = steps_max
    for step in range(steps_max):
        for segment in range(start[node], low):
            result[segment] = step
        for segment in range(high, end[node]):
            result[segment] = step
        low, high = start[node], end[node]
        if parent_of[node] < 0:
            break
        node = parent_of[node]
    return steps


def usual_share(
    keys, sums, int64_t pages, double doubt, cells, first, last, Py_ssize_t segments
):
    """Return the highest share of votes among the elements around each segment.

    Args:
        keys: Cells that have votes, ascending.
        sums: Votes of each key; if `pages` is 0 also, in the next row, the pages that could have voted.
        pages: Pages that could have voted for any cell, or 0.
        doubt: Pages that are added to those that could have voted.
        cells: Cell of each element.
        first: The first segment of each element.
        last: The segment after the last one of each element.
        segments: How many segments the page has.
    """
    cdef Py_ssize_t node, count = len(cells), known = len(keys), place, segment
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *votes = <const int64_t *>items(sums, 8)
    cdef const uint64_t *cell = <const uint64_t *>items(cells, 8)
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef uint64_t bits = 0
    cdef double share
    shares = np.zeros(segments)
    cdef double *highest = <double *>items(shares, 8, True)
    for place in range(known):
        bits |= <uint64_t>1 << (key[place] & 63)
    for node in range(count):
        if not bits >> (cell[node] & 63) & 1:
            continue
        place = find(key, known, cell[node])
        if place < known and key[place] == cell[node]:
            share = votes[place] / ((pages if pages else votes[known + place]) + doubt)
            for segment in range(start[node], end[node]):
                highest[segment] = max(highest[segment], share)
    return shares


def mean_around(content, words, first, last, parent, owner, int levels):
    """Return the mean content of the words in the element `levels` above each segment's owner."""
    cdef Py_ssize_t node, segment, count = len(words)
    cdef const double *value = <const double *>items(content, 8)
    cdef const double *weight = <const double *>items(words, 8)
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef const int32_t *parent_of = <const int32_t *>items(parent, 4)
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef int level
    sums, means = np.zeros((2, count + 1)), np.empty(count)
    cdef double *mass = <double *>items(sums, 8, True)
    cdef double *size = mass + count + 1
    cdef double *mean = <double *>items(means, 8, True)
    for segment in range(count):
        mass[segment + 1] = mass[segment] + value[segment] * weight[segment]
        size[segment + 1] = size[segment] + weight[segment]
    for segment in range(count):
        node = owner_of[segment]
        for level in range(levels):
            if parent_of[node] >= 0:
                node = parent_of[node]
        mean[segment] = (mass[end[node]] - mass[start[node]]) / (size[end[node]] - size[start[node]])
    return means
