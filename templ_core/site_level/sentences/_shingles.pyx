"""Compiled loop over the shingles of a page; see `shingles.py`."""

from libc.stdint cimport int64_t, uint64_t

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed

import numpy as np

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15
cdef uint64_t NUMBER = 0xD6E8FEB86659FD93      # stands for each word with a digit
cdef uint64_t KEY_BITS = 0xFFFFFF
cdef uint64_t NONE = 0xFFFFFFFFFFFFFFFF        # of a shingle of numbers; no hash is above it


def read_shingles(words, wanted, int size, int named_min, int window):
    """Return the index of the first word of each chosen shingle, and its key."""
    cdef Py_ssize_t count = len(words.hashes), segments = len(words.per_segment)
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef const unsigned char *numeric = <const unsigned char *>items(words.numeric, 1)
    cdef const int64_t *per_segment = <const int64_t *>items(words.per_segment, 8)
    cdef const unsigned char *is_wanted = <const unsigned char *>items(wanted, 1)
    first = np.empty(count, np.int64)
    keys, every = np.empty((2, count), np.uint64)
    cdef int64_t *first_of = <int64_t *>items(first, 8, True)
    cdef uint64_t *key_of = <uint64_t *>items(keys, 8, True)
    cdef uint64_t *hash_of = <uint64_t *>items(every, 8, True)     # of the shingle at each word
    cdef Py_ssize_t segment, start = 0, at, place, last, begin, least, chosen = 0
    cdef uint64_t joined
    cdef int named
    for segment in range(segments):
        last = start + per_segment[segment] - size
        least = -1
        if not is_wanted[segment]:
            last = start - 1
        for at in range(start, last + 1):
            joined, named = 0, 0
            for place in range(at, at + size):
                joined = joined * SPREAD + (NUMBER if numeric[place] else hashes[place])
                named += not numeric[place]
            hash_of[at] = mixed(joined) if named >= named_min else NONE
            begin = max(start, at - window + 1)
            if least < begin:
                least = begin
                for place in range(begin + 1, at + 1):
                    if hash_of[place] <= hash_of[least]:
                        least = place
            elif hash_of[at] <= hash_of[least]:
                least = at
            if at < last and at - start + 1 < window:      # the first window is not full yet
                continue
            if hash_of[least] == NONE or (chosen and first_of[chosen - 1] == least):
                continue
            first_of[chosen] = least
            key_of[chosen] = hash_of[least] & KEY_BITS
            chosen += 1
        start += per_segment[segment]
    return first[:chosen], keys[:chosen]
