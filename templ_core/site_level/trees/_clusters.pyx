"""How alike pages and clusters are, and what a cluster says about a page.

Used by `path_counts.py` and `tree_evidence.py`.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items


def shared_sum(keys, values, others):
    """Return the sum of the values whose keys are among the others, and the sum of all.

    Keys and others ascend.
    """
    cdef Py_ssize_t one, other = 0, size = len(keys), count = len(others)
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *value = <const int64_t *>items(values, 8)
    cdef const uint64_t *asked = <const uint64_t *>items(others, 8)
    cdef int64_t shared = 0, total = 0
    cdef uint64_t first, second
    for one in range(size):
        total += value[one]
    one = 0
    while one < size and other < count:  # No branches: hashes cannot be predicted.
        first, second = key[one], asked[other]
        shared += value[one] * (first == second)
        one += first <= second
        other += second <= first
    return shared, total


def place_shares(mapping, cluster, page, Py_ssize_t segment_count):
    """Return text share, place share and change of each segment of a page; see `TreeEvidence`."""
    cdef Py_ssize_t row, entry, texts = len(cluster.text), places = len(cluster.support)
    cdef Py_ssize_t count = len(mapping.left)
    cdef const int32_t *ones = <const int32_t *>items(mapping.left, 4)
    cdef const int32_t *others = <const int32_t *>items(mapping.right, 4)
    cdef const int32_t *known_segment = <const int32_t *>items(cluster.tree.segment, 4)
    cdef const int32_t *segment_of = <const int32_t *>items(page.segment, 4)
    cdef const uint64_t *label_of = <const uint64_t *>items(page.label, 8)
    cdef const int64_t *on_pages = <const int64_t *>items(cluster.support, 8)
    cdef const int64_t *texts_at = <const int64_t *>items(cluster.distinct, 8)
    cdef const int64_t *place_of = <const int64_t *>items(cluster.text_place, 8)
    cdef const uint64_t *text_of = <const uint64_t *>items(cluster.text, 8)
    cdef const int64_t *with_text = <const int64_t *>items(cluster.text_pages, 8)
    cdef double pages = cluster.pages
    cdef int32_t place, node, segment
    text_shares, place_shares = np.zeros(segment_count), np.zeros(segment_count)
    changes, starts = np.zeros(segment_count), np.empty(places, np.intp)
    cdef double *text_share = <double *>items(text_shares, 8, True)
    cdef double *place_share = <double *>items(place_shares, 8, True)
    cdef double *change = <double *>items(changes, 8, True)
    cdef Py_ssize_t *first = <Py_ssize_t *>items(starts, sizeof(Py_ssize_t), True)
    for row in range(places):
        first[row] = texts
    for entry in range(texts - 1, -1, -1):
        first[place_of[entry]] = entry
    for row in range(count):
        place, node = ones[row], others[row]
        if place < 0 or node < 0 or known_segment[place] < 0 or segment_of[node] < 0:
            continue
        segment = segment_of[node]
        entry = first[place]
        while entry < texts and place_of[entry] == place:
            if text_of[entry] == label_of[node]:
                text_share[segment] = with_text[entry] / pages
            entry += 1
        place_share[segment] = on_pages[place] / pages
        change[segment] = texts_at[place] / <double>on_pages[place]
    return text_shares, place_shares, changes
