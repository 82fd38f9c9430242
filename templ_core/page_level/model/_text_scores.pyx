"""Sums of the hashed table of words, see `templ_core.page_level.model.hashed_scores`."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from templ_core.page_level._hashing cimport mix, place_of
from templ_core._tag_numbers cimport number_tags

import numpy as np

from templ_core._arrays cimport items

cdef enum:
    LEADING_WORDS = 30
    STARTING_WORDS = 3
    SHORT_WORDS = 6
    TOKENS_MAX = LEADING_WORDS + 2
    SLOTS = 64

cdef uint64_t WORD = 0x51ED27, START = 0xA24BAED, WHOLE = 0x9FB21C65
cdef uint64_t HEADING = 0xC13FA9A902A6328F, TURN = 0xFF51AFD7ED558CCD


def text_sums(hash_column, words_column, heading_column, weight_column):
    """Sum of the weights of each segment's tokens and its last heading's, before unit and bias."""
    cdef Py_ssize_t segment, count = len(words_column)
    cdef const uint64_t *hashes = <const uint64_t *>items(hash_column, 8)
    cdef const int64_t *words = <const int64_t *>items(words_column, 8)
    cdef const int64_t *heading = <const int64_t *>items(heading_column, 8)
    cdef const signed char *weights = <const signed char *>items(weight_column, 1)
    start_column, below_column, result = np.empty(count, np.int64), np.empty(count), np.empty(count)
    cdef int64_t *starts = <int64_t *>items(start_column, 8, True)
    cdef double *below = <double *>items(below_column, 8, True)
    cdef double *sums = <double *>items(result, 8, True)
    cdef int[TOKENS_MAX] places
    cdef int tokens
    cdef double total
    _fill_starts(words, count, starts)
    for segment in range(count):
        below[segment] = NAN
    for segment in range(count):
        tokens = _places(hashes, starts[segment], words[segment], 0, places)
        sums[segment] = _sum(weights, places, tokens)
        if heading[segment] >= 0:
            total = below[heading[segment]]
            if total != total:
                tokens = _places(
                    hashes, starts[heading[segment]], words[heading[segment]], HEADING, places
                )
                total = below[heading[segment]] = _sum(weights, places, tokens)
            sums[segment] += total
    return result


def token_places(hash_column, words_column, chosen_column, bint as_heading):
    """Place and segment of each token of the chosen segments."""
    cdef Py_ssize_t segment, segments = len(words_column), most = TOKENS_MAX * segments, count = 0
    cdef const uint64_t *hashes = <const uint64_t *>items(hash_column, 8)
    cdef const int64_t *words = <const int64_t *>items(words_column, 8)
    cdef const unsigned char *chosen = <const unsigned char *>items(chosen_column, 1)
    start_column, result = np.empty(segments, np.int64), np.empty((2, most), np.int64)
    cdef int64_t *starts = <int64_t *>items(start_column, 8, True)
    cdef int64_t *column = <int64_t *>items(result, 8, True)
    cdef int[TOKENS_MAX] places
    cdef int tokens, token
    _fill_starts(words, segments, starts)
    for segment in range(segments):
        if chosen[segment]:
            tokens = _places(
                hashes, starts[segment], words[segment], HEADING if as_heading else 0, places
            )
            for token in range(tokens):
                column[count], column[most + count] = places[token], segment
                count += 1
    return result[0, :count], result[1, :count]


cdef void _fill_starts(const int64_t *words, Py_ssize_t count, int64_t *starts) noexcept:
    """Number of the first word of each segment."""
    cdef Py_ssize_t segment
    cdef int64_t word = 0
    for segment in range(count):
        starts[segment] = word
        word += words[segment]


cdef int _places(
    const uint64_t *hashes, int64_t first, int64_t words, uint64_t salt, int *places
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


cdef inline double _sum(const signed char *weights, const int *places, int tokens) noexcept:
    cdef int token, total = 0
    for token in range(tokens):
        total += weights[places[token]]
    return total


def last_headings(document, dict headings):
    """Number of the last heading before each segment, -1 without one."""
    nodes, owners = document.nodes, document.segments.owner
    cdef Py_ssize_t node, nodes_count = len(nodes.element_type), segment, count = len(owners)
    cdef const int *element_type = <const int *>items(nodes.element_type, 4)
    cdef const int *parent = <const int *>items(nodes.parent, 4)
    cdef const int *owner = <const int *>items(owners, 4)
    tag_column = np.empty(len(nodes.element_types), np.int32)
    inside_column = np.empty(nodes_count, np.uint8)
    cdef int *tag = <int *>items(tag_column, 4, True)
    cdef unsigned char *inside = <unsigned char *>items(inside_column, 1, True)
    cdef int64_t last = -1
    number_tags(nodes.element_types, headings, tag)
    for node in range(nodes_count):
        inside[node] = tag[element_type[node]] >= 0 or (parent[node] >= 0 and inside[parent[node]])
    result = np.empty(count, np.int64)
    cdef int64_t *heading = <int64_t *>items(result, 8, True)
    for segment in range(count):
        heading[segment] = last
        if inside[owner[segment]]:
            last = segment
    return result
