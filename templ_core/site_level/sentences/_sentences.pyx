"""Compiled loop over the words of a page's sentences; see `sentences.py`."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed

import numpy as np

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15
cdef uint64_t CHANGES = 0xD6E8FEB86659FD93     # stands for a run of words that change
cdef uint64_t KEY_BITS = 0xFFFFFFFF


def read_sentences(words, calendar, int words_min, int named_words_min, int plain_words_min):
    """Return the columns of `Sentences` by name."""
    cdef Py_ssize_t count = len(words.hashes), word, start = 0, sentence = 0
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef const unsigned char *numeric = <const unsigned char *>items(words.numeric, 1)
    cdef const unsigned char *capital = <const unsigned char *>items(words.capital, 1)
    cdef const unsigned char *ends = <const unsigned char *>items(words.ends, 1)
    cdef const int64_t *segments = <const int64_t *>items(words.segment, 8)
    cdef const uint64_t *names = <const uint64_t *>items(calendar, 8)
    cdef Py_ssize_t size = len(calendar)
    first, length, owner = np.empty((3, count), np.int32)
    keys = np.empty(count, np.uint64)
    cdef int32_t *first_of = <int32_t *>items(first, 4, True)
    cdef int32_t *length_of = <int32_t *>items(length, 4, True)
    cdef int32_t *segment_of = <int32_t *>items(owner, 4, True)
    cdef uint64_t *key_of = <uint64_t *>items(keys, 8, True)
    cdef uint64_t exact = 0, pattern = 0
    cdef int plain = 0, named = 0
    cdef bint number, is_number = False, changes, changed = False
    for word in range(count):
        number = numeric[word]
        if not number and (is_number or (word + 1 < count and numeric[word + 1])):
            number = _has(names, size, hashes[word])
        is_number = number
        named += not number
        changes = number or capital[word]
        exact = exact * SPREAD + (CHANGES if number else hashes[word])
        if not changes:
            pattern = pattern * SPREAD + hashes[word]
            plain += 1
        elif not changed:
            pattern = pattern * SPREAD + CHANGES
        changed = changes
        if not ends[word]:
            continue
        if word + 1 - start >= words_min and named >= named_words_min:
            segment_of[sentence] = segments[word]
            first_of[sentence] = start
            length_of[sentence] = word + 1 - start
            key_of[sentence] = mixed(pattern if plain >= plain_words_min else ~exact) & KEY_BITS
            sentence += 1
        start, exact, pattern, changed, is_number = word + 1, 0, 0, False, False
        plain = named = 0
    return dict(
        segment=owner[:sentence],
        first=first[:sentence],
        words=length[:sentence],
        keys=keys[:sentence],
    )


cdef bint _has(const uint64_t *ascending, Py_ssize_t size, uint64_t wanted) noexcept:
    cdef Py_ssize_t low = 0, high = size, middle
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < size and ascending[low] == wanted
