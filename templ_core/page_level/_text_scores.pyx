"""Sums of the hashed table of words, see `templ_core.page_level.hashed_scores`."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from templ_core.page_level._hashing cimport mix, place_of
from templ_core.page_level._kinds cimport number_tags

import numpy as np

cdef enum:
    LEADING_WORDS = 30
    STARTING_WORDS = 3
    SHORT_WORDS = 6
    TOKENS_MAX = LEADING_WORDS + 2
    SLOTS = 64

cdef uint64_t WORD = 0x51ED27, START = 0xA24BAED, WHOLE = 0x9FB21C65
cdef uint64_t HEADING = 0xC13FA9A902A6328F, TURN = 0xFF51AFD7ED558CCD


def text_sums(
    const uint64_t[::1] hashes,
    const int64_t[::1] per_segment,
    const int64_t[::1] heading,
    const signed char[::1] weights,
):
    """Sum of the weights of each segment's tokens and its last heading's, before unit and bias."""
    cdef Py_ssize_t segment, count = per_segment.shape[0]
    cdef int64_t[::1] starts = _starts(per_segment)
    cdef int[TOKENS_MAX] places
    cdef int tokens
    cdef double total
    cdef double[::1] below = np.full(count, np.nan)
    result = np.empty(count)
    cdef double[::1] sums = result
    for segment in range(count):
        tokens = _places(hashes, starts[segment], per_segment[segment], 0, places)
        sums[segment] = _sum(weights, places, tokens)
        if heading[segment] >= 0:
            total = below[heading[segment]]
            if total != total:
                tokens = _places(
                    hashes, starts[heading[segment]], per_segment[heading[segment]], HEADING, places
                )
                total = below[heading[segment]] = _sum(weights, places, tokens)
            sums[segment] += total
    return result


def token_places(
    const uint64_t[::1] hashes,
    const int64_t[::1] per_segment,
    const unsigned char[::1] chosen,
    bint as_heading,
):
    """Place and segment of each token of the chosen segments."""
    cdef Py_ssize_t segment, count = 0
    cdef int64_t[::1] starts = _starts(per_segment)
    cdef int[TOKENS_MAX] places
    cdef int tokens, token
    result = np.empty((2, TOKENS_MAX * per_segment.shape[0]), np.int64)
    cdef int64_t[:, ::1] columns = result
    for segment in range(per_segment.shape[0]):
        if chosen[segment]:
            tokens = _places(
                hashes, starts[segment], per_segment[segment], HEADING if as_heading else 0, places
            )
            for token in range(tokens):
                columns[0, count], columns[1, count] = places[token], segment
                count += 1
    return result[0, :count], result[1, :count]


cdef int64_t[::1] _starts(const int64_t[::1] per_segment):
    """Number of the first word of each segment."""
    cdef Py_ssize_t segment
    cdef int64_t word = 0
    cdef int64_t[::1] starts = np.empty(per_segment.shape[0], np.int64)
    for segment in range(per_segment.shape[0]):
        starts[segment] = word
        word += per_segment[segment]
    return starts


cdef int _places(
    const uint64_t[::1] hashes, int64_t first, int64_t words, uint64_t salt, int *places
) noexcept:
    """Places of a segment's different tokens; how many."""
    cdef int tokens = 0, word
    cdef uint64_t whole = 0, power = 1
    cdef int[SLOTS] seen
    memset(seen, 0xFF, sizeof(seen))
    for word in range(<int>min(words, LEADING_WORDS)):
        tokens = _add(places, tokens, place_of(hashes[first + word] ^ WORD ^ salt), seen)
    if words >= STARTING_WORDS:
        whole = (hashes[first] * TURN + hashes[first + 1]) * TURN + hashes[first + 2]
        tokens = _add(places, tokens, place_of(whole ^ START ^ salt), seen)
    if words <= SHORT_WORDS:
        whole = 0
        for word in range(<int>words):
            power *= <uint64_t>0x9E3779B97F4A7C15
            whole += hashes[first + word] * power
        tokens = _add(places, tokens, place_of(mix(whole) ^ WHOLE ^ salt), seen)
    return tokens


cdef inline int _add(int *places, int tokens, int place, int *seen) noexcept:
    """The place behind the others, unless the table of those seen has it."""
    cdef int slot = place % SLOTS
    while seen[slot] >= 0 and seen[slot] != place:
        slot = (slot + 1) % SLOTS
    if seen[slot] < 0:
        seen[slot] = places[tokens] = place
        tokens += 1
    return tokens


cdef inline double _sum(const signed char[::1] weights, const int *places, int tokens) noexcept:
    cdef int token, total = 0
    for token in range(tokens):
        total += weights[places[token]]
    return total


def last_headings(document, dict headings):
    """Number of the last heading before each segment, -1 without one."""
    nodes = document.nodes
    cdef const int[::1] kind = nodes.kind, parent = nodes.parent, owner = document.segments.owner
    cdef int[::1] tag = np.empty(len(nodes.kinds), np.int32)
    cdef unsigned char[::1] inside = np.empty(kind.shape[0], np.uint8)
    cdef Py_ssize_t node, segment
    cdef int64_t last = -1
    number_tags(nodes.kinds, headings, &tag[0])
    for node in range(kind.shape[0]):
        inside[node] = tag[kind[node]] >= 0 or (parent[node] >= 0 and inside[parent[node]])
    result = np.empty(owner.shape[0], np.int64)
    cdef int64_t[::1] heading = result
    for segment in range(owner.shape[0]):
        heading[segment] = last
        if inside[owner[segment]]:
            last = segment
    return result
