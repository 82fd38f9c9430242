"""Compiled loops that learn repeated text; see `string_evidence.py` and `window_strings.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from templ_core._arrays cimport items
from templ_core._hashing cimport find, finalised
from templ_core.site_level.strings._tokens cimport BREAK, FIRST_WORD, NUMBER, is_seed

import numpy as np

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


def read_seeds(tokens, lengths, int size, int every):
    """Return the key of each sampled run of `size` tokens, and the number of its text."""
    cdef Py_ssize_t count = len(tokens), texts = len(lengths), text, start = 0, at, found = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    keys, owners = np.empty(count, np.uint64), np.empty(count, np.int32)
    cdef uint64_t *key = <uint64_t *>items(keys, 8, True)
    cdef int32_t *owner = <int32_t *>items(owners, 4, True)
    cdef uint32_t of_run
    for text in range(texts):
        for at in range(start, start + length[text] - size + 1):
            if is_seed(token + at, size, every, &of_run):
                key[found] = of_run
                owner[found] = <int32_t>text
                found += 1
        start += length[text]
    return keys[:found], owners[:found]


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


def prose_corpus(pages, recurring):
    """Return the tokens of the texts that have a recurring seed, a break around each, and the page of each token.

    Args:
        recurring: Keys of the seeds that recur, in ascending order; uint64.
    """
    cdef Py_ssize_t room = 1, size = len(recurring), filled = 1, seed, place, text, at, start, number = 0
    for page in pages:
        room += len(page.tokens) + len(page.lengths)
    tokens, owners = np.zeros(room, np.uint16), np.zeros(room, np.int32)
    cdef uint16_t *token = <uint16_t *>items(tokens, 2, True)
    cdef int32_t *owner = <int32_t *>items(owners, 4, True)
    cdef const uint64_t *known = <const uint64_t *>items(recurring, 8)
    cdef const uint64_t *key
    cdef const int32_t *text_of
    cdef const int32_t *length
    cdef const uint16_t *own
    cdef uint8_t *is_chosen
    marks = np.zeros(1 << 16, np.bool_)                 # by the middle bits of the keys that recur
    cdef uint8_t *mark = <uint8_t *>items(marks, 1, True)
    for seed in range(size):
        mark[known[seed] >> 8 & 0xFFFF] = True
    for number, page in enumerate(pages):
        keys, texts = page.seeds
        chosen = np.zeros(len(page.lengths), np.bool_)
        is_chosen = <uint8_t *>items(chosen, 1, True)
        key, text_of = <const uint64_t *>items(keys, 8), <const int32_t *>items(texts, 4)
        for seed in range(len(keys)):
            if mark[key[seed] >> 8 & 0xFFFF] and not is_chosen[text_of[seed]]:
                place = find(known, size, key[seed])
                is_chosen[text_of[seed]] = place < size and known[place] == key[seed]
        length, own, start = <const int32_t *>items(page.lengths, 4), <const uint16_t *>items(page.tokens, 2), 0
        for text in range(len(page.lengths)):
            if is_chosen[text]:
                owner[filled - 1] = <int32_t>number     # of the break before it
                for at in range(start, start + length[text]):
                    token[filled], owner[filled] = own[at], <int32_t>number
                    filled += 1
                token[filled], owner[filled] = BREAK, <int32_t>number
                filled += 1
            start += length[text]
    return tokens[:filled], owners[:filled]


def frequent_prefixes(suffixes, document_column, Py_ssize_t documents, least_documents, int tokens_min):
    """Return the longest prefix of each suffix that enough documents have, and the number of its interval.

    Args:
        document_column: Number of the document that each token is in; int32.
        least_documents: Documents that have a prefix at least; one number for each level.
        tokens_min: Tokens of the shortest prefix that counts.

    Returns:
        Two int32 arrays of shape (levels, ranks): lengths, 0 where there is no such prefix, and numbers that
        are equal where prefixes are.
    """
    common_column, starts = suffixes.common, suffixes.starts
    cdef Py_ssize_t ranks = len(starts), rank, depth = 0, low, high, middle, at
    cdef Py_ssize_t levels = len(least_documents), level
    least_column = np.array(least_documents, np.int32)
    cdef const int32_t *least = <const int32_t *>items(least_column, 4)
    cdef const int32_t *common = <const int32_t *>items(common_column, 4)
    cdef const int32_t *start = <const int32_t *>items(starts, 4)
    cdef const int32_t *document = <const int32_t *>items(document_column, 4)
    # A stack of open intervals: where each begins, its length, and how many of its ranks have an earlier
    # rank of their document in it.
    stack = np.zeros((3, ranks + 2), np.int32)
    cdef int32_t *left = <int32_t *>items(stack, 4, True)
    cdef int32_t *length = left + ranks + 2
    cdef int32_t *again = length + ranks + 2
    last_rank = np.full(documents, -1, np.int32)
    cdef int32_t *last = <int32_t *>items(last_rank, 4, True)
    lengths, numbers = np.zeros((2, levels, max(ranks, 1)), np.int32)
    cdef Py_ssize_t room = max(ranks, 1)
    cdef int32_t *best = <int32_t *>items(lengths, 4, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    # The first rank from each one on that has no prefix yet.
    free_ranks = np.empty((levels, ranks + 1), np.int32)
    cdef int32_t *free_rank = <int32_t *>items(free_ranks, 4, True)
    cdef int32_t begun, carried, before, found = 0, of_it, shared
    for level in range(levels):
        for rank in range(ranks + 1):
            free_rank[level * (ranks + 1) + rank] = <int32_t>rank
    for rank in range(ranks + 1):
        begun, carried = <int32_t>(rank - 1), 0
        shared = common[rank] if common[rank] >= tokens_min else 0
        while length[depth] > shared:
            again[depth] += carried
            of_it = <int32_t>rank - left[depth] - again[depth]
            found += 1
            for level in range(levels):
                if of_it < least[level]:
                    continue
                at = _first_free(free_rank + level * (ranks + 1), left[depth])
                while at < rank:
                    best[level * room + at] = length[depth]
                    number[level * room + at] = found
                    free_rank[level * (ranks + 1) + at] = <int32_t>(at + 1)
                    at = _first_free(free_rank + level * (ranks + 1), at + 1)
            begun, carried = left[depth], again[depth]
            depth -= 1
        if length[depth] < shared:
            depth += 1
            left[depth], length[depth], again[depth] = begun, shared, 0
        again[depth] += carried
        if rank == ranks:
            break
        before = last[document[start[rank]]]
        last[document[start[rank]]] = <int32_t>rank
        if before < 0 or depth == 0:
            continue
        low, high = 0, depth        # the smallest open interval that reaches down to `before`
        while low < high:
            middle = (low + high + 1) >> 1
            if left[middle] <= before:
                low = middle
            else:
                high = middle - 1
        again[low] += 1
    return lengths[:, :ranks], numbers[:, :ranks]


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
    """Return the strings that do not continue a longer one to the left, each once, as `joined` does.

    Args:
        tokens: The tokens whose suffixes were sorted; uint16.
        starts: Where the suffix of each rank begins; int32.
        lengths: Tokens of the string that each suffix begins with, 0 = none; int32.
        numbers: The numbers of these strings, equal for equal ones, at most `len(tokens)`; int32.
    """
    cdef Py_ssize_t count = len(starts), rank, at, place, size = 1, found = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *start = <const int32_t *>items(starts, 4)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    cdef const int32_t *number = <const int32_t *>items(numbers, 4)
    columns = np.zeros((4, count + 1), np.int32)
    cdef int32_t *length_at = <int32_t *>items(columns, 4, True)
    cdef int32_t *number_at = length_at + count + 1
    cdef int32_t *is_known = number_at + count + 1      # by the number of a string
    cdef int32_t *begins = is_known + count + 1
    for rank in range(count):
        length_at[start[rank]], number_at[start[rank]] = length[rank], number[rank]
    for at in range(count):
        if not length_at[at] or (at and length_at[at - 1] > length_at[at]) or is_known[number_at[at]]:
            continue
        is_known[number_at[at]] = 1
        begins[found] = <int32_t>at
        size += length_at[at] + 1
        found += 1
    strings = np.zeros(size, np.uint16)
    cdef uint16_t *result = <uint16_t *>items(strings, 2, True)
    for rank in range(found):
        result += 1
        for place in range(length_at[begins[rank]]):
            result[place] = token[begins[rank] + place]
        result += length_at[begins[rank]]
    return strings
