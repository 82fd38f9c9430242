"""Compiled sums over the tokens of words; see `templ_core.page_level.model.hashed_scores`."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from templ_core.page_level._hashing cimport TABLE_SIZE, mix, place_of

import numpy as np

from templ_core._arrays cimport items

# Which tokens a segment has: a model holds for the numbers that it was trained with.
cdef enum:
    LEADING_WORDS = 30      # the first words of a segment are a token each
    STARTING_WORDS = 3      # so many first words together are one more token
    SHORT_WORDS = 6         # a text of at most so many words is a token as a whole
    TOKENS_MAX = LEADING_WORDS + 2
    SLOTS = 64

cdef uint64_t WORD = 0x51ED27, START = 0xA24BAED, WHOLE = 0x9FB21C65
cdef uint64_t HEADING = 0xC13FA9A902A6328F, TURN = 0xFF51AFD7ED558CCD


def table_size():
    """Return the number of places of a hashed table."""
    return TABLE_SIZE


def text_log_odds(page_words, heading_column, table, double limit):
    """Return the log-odds of each segment, by its tokens and those of its last heading.

    Args:
        page_words: The page's `Words`.
        heading_column: Number of the last heading before each segment; -1 = none.
        table: A `HashedTable`.
        limit: Largest absolute log-odds.
    """
    cdef Py_ssize_t segment, count = len(page_words.per_segment)
    cdef const uint64_t *hashes = <const uint64_t *>items(page_words.hashes, 8)
    cdef const int64_t *words = <const int64_t *>items(page_words.per_segment, 8)
    cdef const int64_t *heading = <const int64_t *>items(heading_column, 8)
    cdef const signed char *weights = <const signed char *>items(table.weights, 1)
    cdef double unit = table.unit, bias = table.bias
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
        sums[segment] = min(max(bias + unit * sums[segment], -limit), limit)
    return result


def token_places(hash_column, words_column, chosen_column, bint as_heading):
    """Return place and segment of each token of the chosen segments."""
    cdef Py_ssize_t segment, segments = len(words_column), most = TOKENS_MAX * segments, count = 0
    cdef const uint64_t *hashes = <const uint64_t *>items(hash_column, 8)
    cdef const int64_t *words = <const int64_t *>items(words_column, 8)
    cdef const unsigned char *chosen = <const unsigned char *>items(chosen_column, 1)
    start_column = np.empty(segments, np.int64)
    place_column, segment_column = np.empty(most, np.int64), np.empty(most, np.int64)
    cdef int64_t *starts = <int64_t *>items(start_column, 8, True)
    cdef int64_t *place_of_token = <int64_t *>items(place_column, 8, True)
    cdef int64_t *segment_of_token = <int64_t *>items(segment_column, 8, True)
    cdef int[TOKENS_MAX] places
    cdef int tokens, token
    _fill_starts(words, segments, starts)
    for segment in range(segments):
        if chosen[segment]:
            tokens = _places(
                hashes, starts[segment], words[segment], HEADING if as_heading else 0, places
            )
            for token in range(tokens):
                place_of_token[count], segment_of_token[count] = places[token], segment
                count += 1
    return place_column[:count], segment_column[:count]


cdef void _fill_starts(const int64_t *words, Py_ssize_t count, int64_t *starts) noexcept:
    """Fill in the number of each segment's first word."""
    cdef Py_ssize_t segment
    cdef int64_t word = 0
    for segment in range(count):
        starts[segment] = word
        word += words[segment]


cdef int _places(
    const uint64_t *hashes, int64_t first, int64_t words, uint64_t salt, int *places
) noexcept:
    """Fill in the places of a segment's different tokens, and return how many there are."""
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
    """Append a place unless it is among those seen, and return how many places there are."""
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
