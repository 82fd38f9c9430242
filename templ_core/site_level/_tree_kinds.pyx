"""Pages and kinds of pages beside each other; see path_counts.py, tree_template.py, tree_evidence.py."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np


def shared_sum(
    const uint64_t[::1] keys, const int64_t[::1] values, const uint64_t[::1] others
):
    """Sum of the values of the keys that are among the others, and of all; both ascending."""
    cdef Py_ssize_t one, other = 0, count = others.shape[0]
    cdef int64_t shared = 0, total = 0
    for one in range(keys.shape[0]):
        total += values[one]
        while other < count and others[other] < keys[one]:
            other += 1
        if other < count and others[other] == keys[one]:
            shared += values[one]
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
    const int[::1] left, const int[::1] right, const int[::1] kind_segment,
    const int[::1] segment, const uint64_t[::1] label, int64_t pages,
    const int64_t[::1] support, const int64_t[::1] different,
    const int64_t[::1] text_place, const uint64_t[::1] text, const int64_t[::1] text_pages,
    Py_ssize_t segments,
):
    """Text share, place share and change of each segment, from a mapping of the kind to the page."""
    cdef Py_ssize_t row, entry, texts = text.shape[0]
    cdef int place, node
    shares = np.zeros((3, segments))
    cdef double[:, ::1] share = shares
    cdef Py_ssize_t[::1] first = np.full(support.shape[0], texts, np.intp)
    for entry in range(texts - 1, -1, -1):
        first[text_place[entry]] = entry
    for row in range(left.shape[0]):
        place, node = left[row], right[row]
        if place < 0 or node < 0 or kind_segment[place] < 0 or segment[node] < 0:
            continue
        entry = first[place]
        while entry < texts and text_place[entry] == place:
            if text[entry] == label[node]:
                share[0, segment[node]] = text_pages[entry] / <double>pages
            entry += 1
        share[1, segment[node]] = support[place] / <double>pages
        share[2, segment[node]] = different[place] / <double>support[place]
    return shares
