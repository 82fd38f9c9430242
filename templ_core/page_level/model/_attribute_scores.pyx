"""Compiled sums over the tokens of attributes; see `templ_core.page_level.model.hashed_scores`."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcmp

from templ_core._byte_string cimport resized
from templ_core.page_level._hashing cimport TABLE_SIZE, place_of

import numpy as np

from templ_core._arrays cimport items

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    OWNER, INLINE, ABOVE1, ABOVE2, ABOVE3, FAR, ROLES
    LEVELS = 3
    INSERTION_MAX = 24      # so many stems are sorted by insertion, more by qsort

cdef int[ROLES] LEVEL = [0, 0, 1, 1, 1, 2]      # stems of roles with one level share their weights
cdef uint32_t[256] CRC
cdef uint64_t TAG = <uint64_t>1 << 32            # tells tags from stems of the same letters


cdef void _fill_crc() noexcept:
    cdef uint32_t value
    cdef int byte, bit
    for byte in range(256):
        value = byte
        for bit in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        CRC[byte] = value


_fill_crc()


def role_levels():
    """Return the level of each role by the name of the role, in the order of their numbers."""
    numbers = dict(
        owner=OWNER, inline=INLINE, above1=ABOVE1, above2=ABOVE2, above3=ABOVE3, far=FAR
    )
    if list(numbers.values()) != list(range(ROLES)):
        raise AssertionError("each role needs a name, in the order of the numbers")
    return {name: LEVEL[number] for name, number in numbers.items()}


def attribute_log_odds(document, table, double limit, int names_size):
    """Return the log-odds of each segment, and the places of the different tags and stems, ascending.

    Args:
        document: The page.
        table: A `HashedTable`.
        limit: Largest absolute log-odds.
        names_size: Number of places of tags and stems, a divisor of `table_size`.
    """
    nodes_of, segments_of = document.nodes, document.segments
    cdef list element_types = nodes_of.element_types
    cdef double bias = table.bias
    cdef Py_ssize_t node, nodes = len(nodes_of.element_type)
    cdef Py_ssize_t segment, segments = len(segments_of.owner)
    cdef const int *element_type = <const int *>items(nodes_of.element_type, 4)
    cdef const int *parent = <const int *>items(nodes_of.parent, 4)
    cdef const int *end = <const int *>items(nodes_of.end, 4)
    cdef const int *owner = <const int *>items(segments_of.owner, 4)
    cdef const int *inline_from = <const int *>items(segments_of.inline_from, 4)
    cdef const int *inline_to = <const int *>items(segments_of.inline_to, 4)
    cdef const signed char *weights = <const signed char *>items(table.weights, 1)
    is_there, type_scores = np.zeros(names_size, np.bool_), np.zeros((len(element_types), ROLES))
    _read_types(element_types, weights, table.unit, <double *>items(type_scores, 8, True), is_there)
    cdef const double *score = <const double *>items(type_scores, 8)
    inline_column, closed_column = np.zeros(nodes + 1), np.zeros(nodes + 1)
    far_column, result = np.empty(nodes), np.empty(segments)
    cdef double *inline = <double *>items(inline_column, 8, True)
    cdef double *far = <double *>items(far_column, 8, True)
    cdef double *closed = <double *>items(closed_column, 8, True)
    cdef double *sums = <double *>items(result, 8, True)
    cdef double total = 0
    cdef int one, step
    for node in range(nodes):
        inline[node + 1] = inline[node] + score[element_type[node] * ROLES + INLINE]
        closed[end[node]] += score[element_type[node] * ROLES + FAR]
    for node in range(nodes):
        total += score[element_type[node] * ROLES + FAR] - closed[node]
        far[node] = total
    for segment in range(segments):
        one = owner[segment]
        total = (inline[inline_to[segment]] - inline[inline_from[segment]]) / max(
            inline_to[segment] - inline_from[segment], 1
        )
        total = score[element_type[one] * ROLES + OWNER] + total
        for step in range(ABOVE1, FAR):
            one = parent[one]
            if one < 0:
                break
            total += score[element_type[one] * ROLES + step]
        if one >= 0 and parent[one] >= 0:
            total += far[parent[one]]
        sums[segment] = min(max(bias + total, -limit), limit)
    return result, is_there.nonzero()[0]


def name_places(list element_types, int size):
    """Return the places of the different tags and stems among some element types, ascending.

    Args:
        element_types: Pairs of tag and attributes.
        size: Places of the table, a divisor of `table_size`.
    """
    is_there = np.zeros(size, np.bool_)
    _read_types(element_types, NULL, 0, NULL, is_there)
    return is_there.nonzero()[0]


cdef int _read_types(
    list element_types, const signed char *weights, double unit, double *score, is_there
) except -1:
    """Mark the places of the tags and stems of element types, and sum their weights in each role.

    Args:
        element_types: Pairs of tag and attributes.
        weights: The weights of the tokens; NULL = no sums are wanted.
        unit: Log-odds of a weight of 1.
        score: (n_element_types, ROLES): zeros, to which the log-odds are written.
        is_there: Zeros, of which those of the tags and stems become 1.
    """
    cdef uint32_t *stems = NULL
    cdef unsigned char *there = <unsigned char *>items(is_there, 1, True)
    cdef uint64_t names_size = len(is_there)
    cdef Py_ssize_t number, count, place, size
    cdef int role, level
    cdef int[LEVELS] of_level
    cdef uint32_t tag
    cdef bint is_root
    cdef const char *bytes
    try:
        for number in range(len(element_types)):
            pair = <tuple>element_types[number]
            bytes = PyUnicode_AsUTF8AndSize(pair[0], &size)
            tag = _crc(bytes, size)
            there[place_of(tag ^ TAG) % names_size] = True
            is_root = size == 4 and (not memcmp(bytes, b"html", 4) or not memcmp(bytes, b"body", 4))
            of_level[0] = of_level[1] = of_level[2] = 0
            bytes = PyUnicode_AsUTF8AndSize(pair[1], &size)
            if size:
                stems = <uint32_t *>resized(stems, size * sizeof(uint32_t))
            count = _distinct_stems(bytes, size, stems)
            for place in range(count):
                there[place_of(stems[place]) % names_size] = True
                if weights == NULL or is_root:
                    continue
                for level in range(LEVELS):
                    of_level[level] += weights[
                        place_of(stems[place] ^ <uint64_t>(level + 1) << 32)
                    ]
            if weights == NULL:
                continue
            for role in range(ROLES):
                if is_root and role != OWNER:
                    continue
                score[number * ROLES + role] = unit * (
                    of_level[LEVEL[role]] + weights[place_of(tag ^ <uint64_t>(role + 9) << 32)]
                )
    finally:
        free(stems)
    return 0


cdef uint32_t _crc(const char *bytes, Py_ssize_t size) noexcept:
    cdef uint32_t value = 0xFFFFFFFF
    cdef Py_ssize_t place
    for place in range(size):
        value = CRC[(value ^ <unsigned char>bytes[place]) & 0xFF] ^ value >> 8
    return ~value


cdef Py_ssize_t _distinct_stems(const char *text, Py_ssize_t size, uint32_t *stems) noexcept:
    """Fill in the hashes of the different stems of a text, and return how many there are.

    See `hashed_scores.stem_hashes`.
    """
    cdef Py_ssize_t at = 0, start, count = 0, kept = 0, place
    cdef uint32_t value
    while at < size:
        if not (_is_upper(text[at]) or _is_lower(text[at])):
            at += 1
            continue
        start = at
        while at < size and _is_upper(text[at]):
            at += 1
        if at < size and _is_lower(text[at]) and at - start > 1:
            at -= 1  # the last capital begins the next stem
        elif at - start <= 1:
            while at < size and _is_lower(text[at]):
                at += 1
        value = 0xFFFFFFFF
        for place in range(start, at):
            value = CRC[(value ^ <unsigned char>(text[place] | 32)) & 0xFF] ^ value >> 8
        stems[count] = ~value
        count += 1
    _sort(stems, count)
    for place in range(count):
        if not place or stems[place] != stems[place - 1]:
            stems[kept] = stems[place]
            kept += 1
    return kept


cdef inline bint _is_upper(char letter) noexcept:
    return c"A" <= letter <= c"Z"


cdef inline bint _is_lower(char letter) noexcept:
    return c"a" <= letter <= c"z"


cdef void _sort(uint32_t *stems, Py_ssize_t count) noexcept:
    """Sort in place: by insertion where there are few, which is quicker than qsort."""
    cdef Py_ssize_t place, at
    cdef uint32_t stem
    if count > INSERTION_MAX:
        qsort(stems, count, sizeof(uint32_t), _compare)
        return
    for place in range(1, count):
        stem, at = stems[place], place
        while at and stems[at - 1] > stem:
            stems[at] = stems[at - 1]
            at -= 1
        stems[at] = stem


cdef int _compare(const void *one, const void *other) noexcept nogil:
    cdef uint32_t a = (<const uint32_t *>one)[0], b = (<const uint32_t *>other)[0]
    return (a > b) - (a < b)
