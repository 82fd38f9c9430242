"""Containers: elements that hold text of a page; of elements that hold the same segments, the deepest one."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._lookup cimport find

cdef double TOLERANCE = 1e-9    # words by which a container may miss a bound, so that rounding decides nothing


def container_nodes(tree):
    """Return the node of each container of a page, a `PageTree`, in document order; length n_containers."""
    first, last = tree.first, tree.last
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


def best_container(first, last, content, words):
    """Return the container most worth keeping: with the largest sum of (content - 1/2) * words, as an index.

    Args:
        first: First segment of each container, of which there is at least one.
        last: Segment after the last one of each container.
        content: Pooled probability of content of each segment, 0 to 1.
        words: Words of each segment.
    """
    cdef Py_ssize_t segment, one, containers = len(first), count = len(words), best = -1
    cdef const int32_t *start = <const int32_t *>items(first, 4)
    cdef const int32_t *end = <const int32_t *>items(last, 4)
    cdef const double *probability = <const double *>items(content, 8)
    cdef const double *weight = <const double *>items(words, 8)
    cdef double most = -1e300
    sums = np.zeros(count + 1)
    cdef double *gain = <double *>items(sums, 8, True)
    for segment in range(count):
        gain[segment + 1] = gain[segment] + (probability[segment] - 0.5) * weight[segment]
    for one in range(containers):
        most = max(most, gain[end[one]] - gain[start[one]])
    most -= TOLERANCE
    for one in range(containers):
        if gain[end[one]] - gain[start[one]] >= most and (
            best < 0 or end[one] - start[one] < end[best] - start[best]
        ):
            best = one
    return best


def usual_share(votes, cells, tree, double doubt_pages):
    """Return how usual the most usual container around each segment is on its site; length n_segments.

    That is votes over pages, 0 to 1.

    Args:
        votes: Of each cell: pages whose best container stands there, and pages that have a container there.
        cells: Cell of each element of the page.
        tree: The `PageTree` of the page.
        doubt_pages: Pages that are added to those that could have voted.
    """
    keys, first, last = votes.keys, tree.first, tree.last
    cdef Py_ssize_t node, count = len(cells), known = len(keys), place, segment
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *voted = <const int64_t *>items(votes.sums, 8)
    cdef const uint64_t *cell = <const uint64_t *>items(cells, 8)
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef uint64_t bits = 0
    cdef double share
    shares = np.zeros(len(tree.owner))
    cdef double *highest = <double *>items(shares, 8, True)
    for place in range(known):
        bits |= <uint64_t>1 << (key[place] & 63)
    for node in range(count):
        if not bits >> (cell[node] & 63) & 1:
            continue
        place = find(key, known, cell[node])
        if place < known and key[place] == cell[node]:
            share = voted[place] / (voted[known + place] + doubt_pages)
            for segment in range(start[node], end[node]):
                highest[segment] = max(highest[segment], share)
    return shares


def mean_around(content, tree, parent, int levels):
    """Return the mean content of the words around each segment, 0 to 1; length n_segments.

    Around a segment is what the element `levels` above its owner holds.

    Args:
        content: Content of each segment, 0 to 1.
        tree: The `PageTree` of the page.
        parent: Parent of each node; negative for the root.
        levels: `ContainersConfig.surrounding_levels`.
    """
    words, first, last, owner = tree.words, tree.first, tree.last, tree.owner
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
