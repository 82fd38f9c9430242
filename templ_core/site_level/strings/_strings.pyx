"""Compiled loops of repeated text; see `page_strings.py`, `window_strings.py` and `string_evidence.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed

import numpy as np

cdef enum:
    NUMBER = 2          # token of a word that may change; 0 and 1 are `BREAK` and `BORDER`
    FIRST_WORD = 3      # the smallest token of any other word

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15


def word_tokens(words, calendar):
    """Return the token of each word of a page; uint16 of length n_words."""
    cdef Py_ssize_t count = len(words.hashes), word
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef const uint8_t *numeric = <const uint8_t *>items(words.numeric, 1)
    cdef const uint8_t *ends = <const uint8_t *>items(words.ends, 1)
    cdef const uint64_t *names = <const uint64_t *>items(calendar, 8)
    cdef Py_ssize_t size = len(calendar)
    cdef bint changes, changed = False
    tokens = np.empty(count, np.uint16)
    cdef uint16_t *token = <uint16_t *>items(tokens, 2, True)
    for word in range(count):
        changes = numeric[word]
        if not changes and (changed or (word + 1 < count and not ends[word] and numeric[word + 1])):
            changes = _has(names, size, hashes[word])
        changed = changes and not ends[word]
        token[word] = NUMBER if changes else FIRST_WORD + mixed(hashes[word]) % (65536 - FIRST_WORD)
    return tokens


cdef bint _has(const uint64_t *ascending, Py_ssize_t size, uint64_t wanted) noexcept:
    cdef Py_ssize_t low = 0, high = size, middle
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < size and ascending[low] == wanted


def read_seeds(tokens, lengths, int size, int sampled):
    """Return the key of each sampled run of `size` tokens, and the number of its text.

    A run is sampled by its own hash, so equal runs are sampled alike wherever they stand.
    """
    cdef Py_ssize_t count = len(tokens), texts = len(lengths), text, start = 0, at, place, found = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    keys, owners = np.empty(count, np.uint64), np.empty(count, np.int32)
    cdef uint64_t *key = <uint64_t *>items(keys, 8, True)
    cdef int32_t *owner = <int32_t *>items(owners, 4, True)
    cdef uint64_t joined
    cdef int changing
    for text in range(texts):
        for at in range(start, start + length[text] - size + 1):
            joined, changing = 0, 0
            for place in range(at, at + size):
                joined = joined * SPREAD + token[place]
                changing += token[place] == NUMBER
            joined = mixed(joined)
            if joined % sampled == 0 and changing <= 1:
                key[found] = joined & 0xFFFFFFFF
                owner[found] = <int32_t>text
                found += 1
        start += length[text]
    return keys[:found], owners[:found]


def frequent_prefixes(common_column, document_column, Py_ssize_t documents, least_documents):
    """Return the longest prefix of each suffix that enough documents have, and the number of its interval.

    Args:
        common_column: Tokens that rank r shares with rank r - 1, one entry more than ranks, 0 at both ends.
        document_column: Number of each rank's document.
        documents: Number of documents.
        least_documents: Documents that have a prefix at least; one number for each level.

    Returns:
        Two int32 arrays of shape (levels, ranks): lengths, 0 where there is no such prefix, and numbers that
        are equal where prefixes are.
    """
    cdef Py_ssize_t ranks = len(document_column), rank, depth = 0, low, high, middle, at, after, next_at
    cdef Py_ssize_t levels = len(least_documents), level
    least_column = np.array(least_documents, np.int32)
    cdef const int32_t *least = <const int32_t *>items(least_column, 4)
    cdef const int32_t *common = <const int32_t *>items(common_column, 4)
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
    free_ranks = np.tile(np.arange(ranks + 1, dtype=np.int32), (levels, 1))
    cdef int32_t *free_rank = <int32_t *>items(free_ranks, 4, True)
    cdef int32_t begun, carried, before, found = 0, of_it
    for rank in range(ranks + 1):
        begun, carried = <int32_t>(rank - 1), 0
        while length[depth] > common[rank]:
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
        if length[depth] < common[rank]:
            depth += 1
            left[depth], length[depth], again[depth] = begun, common[rank], 0
        again[depth] += carried
        if rank == ranks:
            break
        before = last[document[rank]]
        last[document[rank]] = <int32_t>rank
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


cdef struct Interval:
    Py_ssize_t low      # the first rank
    Py_ssize_t high     # the rank behind the last one


cdef class StringFinder:
    """Finds the longest strings of a text that also stand in some known strings.

    Args:
        corpus: The known strings as uint16, each behind a `BREAK`, and one at the end.
    """

    cdef object corpus_column, starts_column
    cdef const uint16_t *corpus
    cdef int32_t *starts        # of the suffixes that begin inside strings, sorted
    cdef Py_ssize_t size

    def __init__(self, corpus):
        self.corpus_column = corpus
        self.corpus = <const uint16_t *>items(corpus, 2)
        cdef Py_ssize_t at, length = len(corpus)
        if not length or self.corpus[length - 1] != 0:
            raise ValueError("the last string has no end")
        self.starts_column = np.empty((2, length), np.int32)
        self.starts = <int32_t *>items(self.starts_column, 4, True)
        for at in range(length):
            if self.corpus[at] > 1:
                self.starts[self.size] = <int32_t>at
                self.size += 1
        self._sort(self.starts, self.starts + length, self.size)

    cdef void _sort(self, int32_t *starts, int32_t *spare, Py_ssize_t count) noexcept:
        """Sort suffixes by merging. The strings of a site are few, and each stands here once."""
        cdef Py_ssize_t half = count // 2, left = 0, right, at
        if count < 2:
            return
        self._sort(starts, spare, half)
        self._sort(starts + half, spare, count - half)
        for at in range(half):
            spare[at] = starts[at]
        right = half
        at = 0
        while left < half and right < count:
            if self._is_before(starts[right], spare[left]):
                starts[at] = starts[right]
                right += 1
            else:
                starts[at] = spare[left]
                left += 1
            at += 1
        while left < half:
            starts[at] = spare[left]
            left += 1
            at += 1

    cdef inline bint _is_before(self, Py_ssize_t one, Py_ssize_t other) noexcept:
        while self.corpus[one] == self.corpus[other] and self.corpus[one] > 1:
            one += 1
            other += 1
        return self.corpus[one] < self.corpus[other]

    cdef Interval _refined(self, Interval interval, Py_ssize_t depth, uint16_t token) noexcept:
        """Return the ranks of an interval whose suffixes have `token` behind `depth` tokens."""
        cdef Py_ssize_t low = interval.low, high = interval.high, middle
        cdef Interval result
        while low < high:
            middle = (low + high) // 2
            if self.corpus[self.starts[middle] + depth] < token:
                low = middle + 1
            else:
                high = middle
        result.low = low
        high = interval.high
        while low < high:
            middle = (low + high) // 2
            if self.corpus[self.starts[middle] + depth] <= token:
                low = middle + 1
            else:
                high = middle
        result.high = low
        return result

    cdef Interval _interval_of(self, const uint16_t *token, Py_ssize_t count) noexcept:
        cdef Interval interval
        cdef Py_ssize_t depth = 0
        interval.low, interval.high = 0, self.size
        while depth < count and interval.low < interval.high:
            interval = self._refined(interval, depth, token[depth])
            depth += 1
        return interval

    def matches(self, tokens, int tokens_min, owners=None):
        """Return the first token, and the one behind the last, of each longest known string of a text.

        No match is part of another one, so both columns ascend. Both are int32.

        Args:
            tokens: A text as uint16; a `BREAK` is in no string.
            tokens_min: Tokens of the shortest string that counts.
            owners: Number of the text that each token is in, ascending, as int64; no match runs over two
                texts. None = all are in one.
        """
        cdef Py_ssize_t count = len(tokens), end, start = 0, low, high, middle, found = 0
        cdef const int64_t *owner = NULL if owners is None else <const int64_t *>items(owners, 8)
        cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
        rows = np.empty((2, count + 1), np.int32)
        cdef int32_t *first = <int32_t *>items(rows, 4, True)
        cdef int32_t *behind = first + count + 1
        cdef Interval interval, longer
        interval.low, interval.high = 0, self.size
        for end in range(count + 1):
            if end < count and start < end and owner != NULL and owner[end] != owner[start]:
                if end - start >= tokens_min:
                    first[found] = <int32_t>start
                    behind[found] = <int32_t>end
                    found += 1
                start, interval.low, interval.high = end, 0, self.size
            if end < count and token[end] > 1:
                longer = self._refined(interval, end - start, token[end])
                if longer.low < longer.high:
                    interval = longer
                    continue
            if end - start >= tokens_min:
                first[found] = <int32_t>start
                behind[found] = <int32_t>end
                found += 1
            if end == count:
                break
            # The longest string that ends with this token, if it is in any.
            low, high = start + 1, end + 1
            if token[end] <= 1:
                low = high
            while low < high:
                middle = (low + high) // 2
                longer = self._interval_of(token + middle, end + 1 - middle)
                if longer.low < longer.high:
                    high = middle
                else:
                    low = middle + 1
            start = low
            interval = self._interval_of(token + start, end + 1 - start)
        return rows[0, :found], rows[1, :found]


def heaviest_around(firsts, behinds, weights):
    """Return for each token the weight of the heaviest match that it is in; int32, 0 = in none.

    Args:
        firsts: First token of each match; int32.
        behinds: Token behind the last one of each match; int32.
        weights: Weight of each token; int32.
    """
    cdef Py_ssize_t match
    cdef const int32_t *first = <const int32_t *>items(firsts, 4)
    cdef const int32_t *behind = <const int32_t *>items(behinds, 4)
    cdef const int32_t *weight = <const int32_t *>items(weights, 4)
    heaviest = np.zeros(len(weights), np.int32)
    cdef int32_t *result = <int32_t *>items(heaviest, 4, True)
    for match in range(len(firsts)):
        _fill(result, weight, first[match], behind[match])
    return heaviest


cdef inline void _fill(int32_t *result, const int32_t *weight, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef int32_t total = 0
    cdef Py_ssize_t at
    for at in range(start, end):
        total += weight[at]
    for at in range(start, end):
        if result[at] < total:
            result[at] = total


def covered_words(firsts, behinds, owners, int gap_max):
    """Return which words are in a match, or in a short gap between two matches of one segment.

    Args:
        firsts: First word of each match, ascending; int32.
        behinds: Word behind the last one of each match, ascending; int32.
        owners: Number of each word's segment, ascending; int64.
        gap_max: Words of the longest gap that counts as covered.
    """
    cdef Py_ssize_t match, at, begin, last = -1
    cdef const int32_t *first = <const int32_t *>items(firsts, 4)
    cdef const int32_t *behind = <const int32_t *>items(behinds, 4)
    cdef const int64_t *owner = <const int64_t *>items(owners, 8)
    covered = np.zeros(len(owners), np.bool_)
    cdef uint8_t *is_covered = <uint8_t *>items(covered, 1, True)
    for match in range(len(firsts)):
        begin = first[match]
        if last >= 0 and owner[last] == owner[begin] and begin - last - 1 <= gap_max:
            begin = last + 1
        for at in range(begin, behind[match]):
            is_covered[at] = 1
        last = behind[match] - 1
    return covered
