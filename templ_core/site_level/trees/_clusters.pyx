"""Pages and clusters of pages beside each other; see path_counts.py, tree_template.py, tree_evidence.py."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items


def shared_sum(keys, values, others):
    """Sum of the values of the keys that are among the others, and of all; both ascending."""
    cdef Py_ssize_t one, other = 0, size = len(keys), count = len(others)
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *value = <const int64_t *>items(values, 8)
    cdef const uint64_t *asked = <const uint64_t *>items(others, 8)
    cdef int64_t shared = 0, total = 0
    cdef uint64_t first, second
    for one in range(size):
        total += value[one]
    one = 0
    while one < size and other < count:  # without branches: hashes cannot be foreseen
        first, second = key[one], asked[other]
        shared += value[one] * (first == second)
        one += first <= second
        other += second <= first
    return shared, total


def changed_counts(
    const uint64_t[::1] keys, const int64_t[::1] values, const uint64_t[::1] others, int change
):
    """The values with `change` added at the others, ascending as the keys; those above 0."""
    cdef Py_ssize_t one = 0, other = 0, filled = 0
    cdef Py_ssize_t count = keys.shape[0], other_count = others.shape[0]
    cdef uint64_t key
    cdef int64_t value
    new_keys, new_values = np.empty(count + other_count, np.uint64), np.empty(count + other_count, np.int64)
    cdef uint64_t[::1] new_key = new_keys
    cdef int64_t[::1] new_value = new_values
    while one < count or other < other_count:
        if other == other_count or (one < count and keys[one] <= others[other]):
            key, value = keys[one], values[one]
            one += 1
        else:
            key, value = others[other], 0
        if other < other_count and others[other] == key:
            value += change
            other += 1
        if value > 0:
            new_key[filled], new_value[filled] = key, value
            filled += 1
    return new_keys[:filled], new_values[:filled]


def place_evidence(
    left, right, cluster_segment, segment, label, int64_t pages, support, different,
    text_place, text, text_pages, Py_ssize_t segments,
):
    """Text share, place share and change of each segment, from a mapping of the cluster to the page."""
    cdef Py_ssize_t row, entry, texts = len(text), places = len(support), count = len(left)
    cdef const int32_t *ones = <const int32_t *>items(left, 4)
    cdef const int32_t *others = <const int32_t *>items(right, 4)
    cdef const int32_t *known_segment = <const int32_t *>items(cluster_segment, 4)
    cdef const int32_t *segment_of = <const int32_t *>items(segment, 4)
    cdef const uint64_t *label_of = <const uint64_t *>items(label, 8)
    cdef const int64_t *on_pages = <const int64_t *>items(support, 8)
    cdef const int64_t *texts_at = <const int64_t *>items(different, 8)
    cdef const int64_t *place_of = <const int64_t *>items(text_place, 8)
    cdef const uint64_t *text_of = <const uint64_t *>items(text, 8)
    cdef const int64_t *with_text = <const int64_t *>items(text_pages, 8)
    cdef int32_t place, node
    shares, starts = np.zeros((3, segments)), np.empty(places, np.intp)
    cdef double *share = <double *>items(shares, 8, True)
    cdef Py_ssize_t *first = <Py_ssize_t *>items(starts, sizeof(Py_ssize_t), True)
    for row in range(places):
        first[row] = texts
    for entry in range(texts - 1, -1, -1):
        first[place_of[entry]] = entry
    for row in range(count):
        place, node = ones[row], others[row]
        if place < 0 or node < 0 or known_segment[place] < 0 or segment_of[node] < 0:
            continue
        entry = first[place]
        while entry < texts and place_of[entry] == place:
            if text_of[entry] == label_of[node]:
                share[segment_of[node]] = with_text[entry] / <double>pages
            entry += 1
        share[segments + segment_of[node]] = on_pages[place] / <double>pages
        share[2 * segments + segment_of[node]] = texts_at[place] / <double>on_pages[place]
    return shares
