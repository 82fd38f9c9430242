"""Compiled loops that learn repeated text; see `string_evidence.py` and `window_strings.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from templ_core._arrays cimport items
from templ_core._hashing cimport find, finalised
from templ_core.site_level.strings._tokens cimport BREAK, FIRST_WORD, NUMBER, is_seed

import numpy as np

cdef extern from *:
    int __builtin_popcountll(uint64_t value) noexcept

cdef Py_ssize_t TOUCHING = 4  # characters of a script without spaces that make up one token


def word_tokens(words, is_wanted, calendar):
    """Return the token of each word of a page, and a break for each word of other segments; uint16.

    Characters of scripts without spaces are words that touch each other. One says less than a word does, so its
    token is that of the four characters that begin with it: any two pages of a site share some single ones.

    Args:
        is_wanted: Whether tokens are made for each segment.
        calendar: Hashes of the names of months and weekdays in ascending order; uint64.
    """
    cdef Py_ssize_t count = len(words.hashes), size = len(calendar), word, place, other
    cdef uint64_t key
    cdef const int64_t *first = <const int64_t *>items(words.first, 8)
    cdef const int64_t *length = <const int64_t *>items(words.length, 8)
    cdef const int64_t *owner = <const int64_t *>items(words.segment, 8)
    cdef const uint8_t *wanted = <const uint8_t *>items(is_wanted, 1)
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef const uint8_t *numeric = <const uint8_t *>items(words.numeric, 1)
    cdef const uint8_t *ends = <const uint8_t *>items(words.ends, 1)
    cdef const uint64_t *names = <const uint64_t *>items(calendar, 8)
    cdef bint changes, changed = False
    tokens = np.empty(count, np.uint16)
    cdef uint16_t *token = <uint16_t *>items(tokens, 2, True)
    for word in range(count):
        changes = numeric[word]
        if not changes and (changed or (word + 1 < count and not ends[word] and numeric[word + 1])):
            place = find(names, size, hashes[word])
            changes = place < size and names[place] == hashes[word]
        changed = changes and not ends[word]
        if not wanted[owner[word]]:
            token[word] = BREAK
        elif changes:
            token[word] = NUMBER
        else:
            key = hashes[word]
            for other in range(word + 1, min(word + TOUCHING, count)):
                if first[other - 1] + length[other - 1] < first[other] or numeric[other]:
                    break
                key = finalised(key) ^ hashes[other]
            token[word] = FIRST_WORD + finalised(key) % (65536 - FIRST_WORD)
    return tokens


def uncovered_runs(tokens, segments, is_wanted, is_covered, int size, int every):
    """Return the hashes of sampled runs of words that no string covers, ascending and each once; uint16.

    Args:
        tokens: The token of each word, a break for those of other text; uint16.
        segments: The segment of each word; int64.
        is_wanted: Which segments count.
        is_covered: Which words strings cover.
        size: Words of a run; all are of one segment.
        every: One in this number of runs is sampled.
    """
    cdef Py_ssize_t count = len(tokens), word, known = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int64_t *segment = <const int64_t *>items(segments, 8)
    cdef const uint8_t *wanted = <const uint8_t *>items(is_wanted, 1)
    cdef const uint8_t *covered = <const uint8_t *>items(is_covered, 1)
    cdef uint32_t key
    found = set()
    for word in range(count):
        if covered[word] or token[word] == BREAK or not wanted[segment[word]]:
            known = 0
            continue
        known = known + 1 if known and segment[word - 1] == segment[word] else 1
        if known >= size and is_seed(token + word + 1 - size, size, every, &key):
            found.add(key >> 16)
    return np.array(sorted(found), np.uint16)


def numbered(ascending, keys, int first):
    """Return `first` + the place of each key among others, or a break where it is not among them; uint16.

    Args:
        ascending: Hashes in ascending order; uint64.
        first: Number of the first hash.
    """
    cdef Py_ssize_t size = len(ascending), count = len(keys), number, place
    cdef const uint64_t *known = <const uint64_t *>items(ascending, 8)
    cdef const uint64_t *wanted = <const uint64_t *>items(keys, 8)
    numbers = np.empty(count, np.uint16)
    cdef uint16_t *result = <uint16_t *>items(numbers, 2, True)
    for number in range(count):
        place = find(known, size, wanted[number])
        result[number] = first + place if place < size and known[place] == wanted[number] else BREAK
    return numbers


def frequent_prefixes(suffixes, part_column, bits, least_documents, int tokens_min):
    """Return the longest prefix of each suffix that enough documents have, and the number of its interval.

    Args:
        part_column: The part of the corpus that each token is in; int32.
        bits: Which documents have each part, as bits; uint64 of shape (parts, words).
        least_documents: Documents that have a prefix at least; one number for each level.
        tokens_min: Tokens of the shortest prefix that counts.

    Returns:
        Two int32 arrays of shape (levels, ranks): lengths, 0 where there is no such prefix, and numbers that
        are equal where prefixes are.
    """
    common_column, starts, room_column = suffixes.common, suffixes.starts, suffixes.room
    cdef Py_ssize_t ranks = len(starts), rank, depth = 0, at, word, words = bits.shape[1]
    cdef Py_ssize_t levels = len(least_documents), level
    least_column = np.array(least_documents, np.int32)
    cdef const int32_t *least = <const int32_t *>items(least_column, 4)
    cdef const int32_t *common = <const int32_t *>items(common_column, 4)
    cdef const int32_t *start = <const int32_t *>items(starts, 4)
    cdef const int32_t *longest = <const int32_t *>items(room_column, 4)
    cdef const int32_t *part = <const int32_t *>items(part_column, 4)
    cdef const uint64_t *documents_of = <const uint64_t *>items(bits, 8)
    # A stack of open intervals: where each begins, its length, and the documents of its ranks. The first one is open for
    # ever and has no documents.
    cdef Py_ssize_t room = min(ranks, int(common_column.max())) + 2
    stack, sets = np.zeros((2, room), np.int32), np.zeros((room, words), np.uint64)
    cdef int32_t *left = <int32_t *>items(stack, 4, True)
    cdef int32_t *length = left + room
    cdef uint64_t *documents = <uint64_t *>items(sets, 8, True)
    cdef const uint64_t *own
    lengths, numbers = np.zeros((2, levels, max(ranks, 1)), np.int32)
    room = max(ranks, 1)
    cdef int32_t *best = <int32_t *>items(lengths, 4, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    # The first rank from each one on that has no prefix yet.
    free_ranks = np.empty((levels, ranks + 1), np.int32)
    cdef int32_t *free_rank = <int32_t *>items(free_ranks, 4, True)
    cdef int32_t found = 0, of_it, shared
    for level in range(levels):
        for rank in range(ranks + 1):
            free_rank[level * (ranks + 1) + rank] = <int32_t>rank
    for rank in range(1, ranks + 1):
        shared = common[rank] if common[rank] >= tokens_min else 0
        own = documents_of + part[start[rank - 1]] * words      # the rank before is in the innermost interval
        if longest[rank - 1] >= tokens_min and longest[rank - 1] > max(common[rank - 1], common[rank]):
            found += 1          # no other suffix begins with all of it
            of_it = _documents(own, words)
            for level in range(levels):
                if of_it >= least[level]:
                    best[level * room + rank - 1] = longest[rank - 1]
                    number[level * room + rank - 1] = found
                    free_rank[level * (ranks + 1) + rank - 1] = <int32_t>rank
        if length[depth] < shared:
            depth += 1
            left[depth], length[depth] = <int32_t>(rank - 1), shared
            for word in range(words):
                documents[depth * words + word] = own[word]
        elif depth:
            for word in range(words):
                documents[depth * words + word] |= own[word]
        while length[depth] > shared:
            found += 1
            of_it = _documents(documents + depth * words, words)
            for level in range(levels):
                if of_it < least[level]:
                    continue
                at = _first_free(free_rank + level * (ranks + 1), left[depth])
                while at < rank:
                    best[level * room + at] = length[depth]
                    number[level * room + at] = found
                    free_rank[level * (ranks + 1) + at] = <int32_t>(at + 1)
                    at = _first_free(free_rank + level * (ranks + 1), at + 1)
            if length[depth - 1] < shared:
                length[depth] = shared          # a shorter prefix begins at the same rank
                break
            depth -= 1
            for word in range(words if depth else 0):
                documents[depth * words + word] |= documents[(depth + 1) * words + word]
    return lengths[:, :ranks], numbers[:, :ranks]


cdef inline int32_t _documents(const uint64_t *bits, Py_ssize_t words) noexcept:
    """Return how many documents are marked."""
    cdef int32_t count = 0
    cdef Py_ssize_t word
    for word in range(words):
        count += __builtin_popcountll(bits[word])
    return count


cdef inline Py_ssize_t _first_free(int32_t *free_rank, Py_ssize_t at) noexcept:
    """Return the first rank from `at` on that is free, and shorten the way to it."""
    cdef Py_ssize_t end = at, after
    while free_rank[end] != end:
        end = free_rank[end]
    while free_rank[at] != end and at != end:
        after = free_rank[at]
        free_rank[at] = <int32_t>end
        at = after
    return end


def maximal_strings(tokens, starts, lengths, numbers):
    """Return the strings that do not continue a longer one to the left, each once and behind a break, in order.

    Args:
        tokens: The tokens whose suffixes were sorted; uint16.
        starts: Where the suffix of each rank begins; int32.
        lengths: Tokens of the string that each suffix begins with, 0 = none; int32.
        numbers: The numbers of these strings, equal for equal ones, at most 2 * `len(tokens)`; int32.
    """
    cdef Py_ssize_t count = len(starts), rank, at, place, size = 1, found = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *start = <const int32_t *>items(starts, 4)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    cdef const int32_t *number = <const int32_t *>items(numbers, 4)
    columns = np.zeros((4, count + 1), np.int32)
    cdef int32_t *length_at = <int32_t *>items(columns, 4, True)
    cdef int32_t *chosen = length_at + count + 1
    cdef int32_t *is_known = chosen + count + 1         # by the number of a string
    for rank in range(count):
        length_at[start[rank]] = length[rank]
    for rank in range(count):
        at = start[rank]
        if not length[rank] or is_known[number[rank]] or (at and length_at[at - 1] > length[rank]):
            continue
        is_known[number[rank]] = 1
        chosen[found] = <int32_t>rank
        size += length[rank] + 1
        found += 1
    strings = np.zeros(size, np.uint16)
    cdef uint16_t *result = <uint16_t *>items(strings, 2, True) + 1
    for place in range(found):
        at, size = start[chosen[place]], length[chosen[place]]
        memcpy(result, token + at, 2 * size)
        result += size + 1
    return strings
