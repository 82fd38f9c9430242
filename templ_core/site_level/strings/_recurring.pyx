"""Compiled loops that find which parts of the texts of a window recur; see `window_strings.py`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from templ_core._arrays cimport items
from templ_core._hashing cimport find
from templ_core.site_level.strings._tokens cimport BREAK, is_seed

import numpy as np

cdef enum:
    SLOTS_MIN = 256


cdef inline bint _is_seed(const uint16_t *token, int size, int every, uint32_t *key) noexcept:
    """Do as `is_seed` does, with a key above 0."""
    cdef bint result = is_seed(token, size, every, key)
    key[0] += not key[0]
    return result


cdef class RunCounts:
    """How many pages have each run of tokens, by the keys of `run_keys`.

    It is a hash table with open addressing. Its slots depend on a number that is secret to the process, so no page can
    know which keys share one.
    """

    cdef object columns
    cdef uint32_t *key      # 0 = the slot was never used
    cdef uint32_t *pages
    cdef Py_ssize_t slots   # a power of two
    cdef Py_ssize_t used
    cdef uint64_t secret

    def __init__(self):
        self.secret = <uint64_t>hash("runs") | 1    # another one in each process
        self._make(SLOTS_MIN)

    cdef int _make(self, Py_ssize_t slots) except -1:
        self.columns = np.zeros((2, slots), np.uint32)
        self.key = <uint32_t *>items(self.columns, 4, True)
        self.pages = self.key + slots
        self.slots, self.used = slots, 0
        return 0

    cdef inline Py_ssize_t _slot(self, uint32_t key) noexcept:
        cdef Py_ssize_t slot = (key * self.secret >> 32) & (self.slots - 1)
        while self.key[slot] and self.key[slot] != key:
            slot = (slot + 1) & (self.slots - 1)
        return slot

    cdef inline uint32_t _pages(self, uint32_t key) noexcept:
        return self.pages[self._slot(key)]

    cdef int _make_room(self) except -1:
        """Drop the keys that no page has any more, and take half the slots for the others at most."""
        columns = self.columns      # lives until its keys have moved
        cdef const uint32_t *old_key = self.key
        cdef const uint32_t *old_pages = self.pages
        cdef Py_ssize_t old_slots = self.slots, live = 0, slots = SLOTS_MIN, at, slot
        for at in range(old_slots):
            live += old_pages[at] > 0
        while slots < 2 * live:
            slots *= 2
        self._make(slots)
        for at in range(old_slots):
            if old_pages[at]:
                slot = self._slot(old_key[at])
                self.key[slot], self.pages[slot] = old_key[at], old_pages[at]
        self.used = live
        return 0

    def add(self, keys, int by):
        """Add a number of pages, which may be negative, to each key of a column, which is uint32."""
        cdef Py_ssize_t count = len(keys), at, slot
        cdef const uint32_t *key = <const uint32_t *>items(keys, 4)
        for at in range(count):
            slot = self._slot(key[at])
            if not self.key[slot]:
                if 4 * self.used >= 3 * self.slots:
                    self._make_room()
                    slot = self._slot(key[at])
                self.key[slot] = key[at]
                self.used += 1
            self.pages[slot] += by

    def of(self, keys):
        """Return how many pages have each key of a column; uint32."""
        cdef Py_ssize_t count = len(keys), at
        cdef const uint32_t *key = <const uint32_t *>items(keys, 4)
        found = np.empty(count, np.uint32)
        cdef uint32_t *result = <uint32_t *>items(found, 4, True)
        for at in range(count):
            result[at] = self._pages(key[at])
        return found


def run_keys(tokens, lengths, int size):
    """Return the keys of the runs of `size` tokens of a page's texts, ascending and each once; uint32.

    Args:
        tokens: The tokens of its texts, one after the other; uint16.
        lengths: Tokens of each text; int32.
        size: Tokens of a run.
    """
    cdef Py_ssize_t count = len(tokens), texts = len(lengths), text, start = 0, at, found = 0, kept = 0
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    keys = np.empty(count, np.uint32)
    cdef uint32_t *key = <uint32_t *>items(keys, 4, True)
    for text in range(texts):
        for at in range(start, start + length[text] - size + 1):
            _is_seed(token + at, size, 1, key + found)
            found += 1
        start += length[text]
    keys[:found].sort()
    for at in range(found):
        if not at or key[at] != key[kept - 1]:
            key[kept] = key[at]
            kept += 1
    return keys[:kept].copy()


def columns_with(columns, wanted):
    """Return the indexes of the columns that have one of some keys; each column, and the keys, ascend, as uint32."""
    cdef Py_ssize_t asked = len(wanted), number = -1, at, low, high, middle
    cdef const uint32_t *key = <const uint32_t *>items(wanted, 4)
    cdef const uint32_t *own
    found = []
    for column in columns:
        number += 1
        own, low = <const uint32_t *>items(column, 4), 0
        for at in range(asked):
            high = len(column)
            while low < high:
                middle = (low + high) >> 1
                if own[middle] < key[at]:
                    low = middle + 1
                else:
                    high = middle
            if low == len(column):
                break
            if own[low] == key[at]:
                found.append(number)
                break
    return found


def recurring_parts(tokens, lengths, int size, RunCounts counts, uint32_t least):
    """Return the parts of each text of a page whose runs are all on enough pages, with a break between; different ones.

    Args:
        tokens: The tokens of its texts, one after the other; uint16.
        lengths: Tokens of each text; int32.
        size: Tokens of a run.
        counts: The pages that have each run.
        least: Pages that are enough.
    """
    cdef Py_ssize_t texts = len(lengths), text, start = 0, at, place, filled, last
    cdef const uint16_t *token = <const uint16_t *>items(tokens, 2)
    cdef const int32_t *length = <const int32_t *>items(lengths, 4)
    cdef uint32_t key
    parts = np.empty((size + 1) * max(lengths, default=0), np.uint16)
    cdef uint16_t *part = <uint16_t *>items(parts, 2, True)
    found = set()
    for text in range(texts):
        filled, last = 0, -2        # the last run that is on enough pages
        for at in range(length[text] - size + 1):
            _is_seed(token + start + at, size, 1, &key)
            if counts._pages(key) < least:
                continue
            if last == at - 1:
                part[filled] = token[start + at + size - 1]
                filled += 1
            else:
                if filled:
                    part[filled] = BREAK
                    filled += 1
                for place in range(size):
                    part[filled + place] = token[start + at + place]
                filled += size
            last = at
        if filled:
            found.add(PyBytes_FromStringAndSize(<const char *>part, 2 * filled))
        start += length[text]
    return list(found)


def usual_parts(columns, ascending, names):
    """Return the parts of each page that consist of usual shapes, with a break between; a list of one item, or none.

    Args:
        columns: The shapes of each page; uint64.
        ascending: The usual shapes in ascending order.
        names: The token of each of them; uint16.
    """
    cdef Py_ssize_t size = len(ascending), count, at, place, filled
    cdef const uint64_t *known = <const uint64_t *>items(ascending, 8)
    cdef const uint16_t *name = <const uint16_t *>items(names, 2)
    cdef const uint64_t *shape
    parts = np.empty(max(map(len, columns), default=0), np.uint16)
    cdef uint16_t *part = <uint16_t *>items(parts, 2, True)
    found = []
    for column in columns:
        count, shape, filled = len(column), <const uint64_t *>items(column, 8), 0
        for at in range(count):
            place = find(known, size, shape[at])
            if place < size and known[place] == shape[at]:
                part[filled] = name[place]
                filled += 1
            elif filled and part[filled - 1] != BREAK:
                part[filled] = BREAK
                filled += 1
        found.append([PyBytes_FromStringAndSize(<const char *>part, 2 * filled)] if filled else [])
    return found


def neighbours(columns, places, ascending):
    """Return the number of each text of the prose that has a known shape, and the shapes before and behind it; uint64.

    Args:
        columns: The shapes of each page; uint64.
        places: The segments of the prose of each page; int32.
        ascending: The known shapes in ascending order.
    """
    cdef Py_ssize_t size = len(ascending), room = sum(map(len, places)), count, texts, at, place, found = 0
    cdef const uint64_t *known = <const uint64_t *>items(ascending, 8)
    cdef const uint64_t *shape
    cdef const int32_t *segment
    rows = np.zeros((3, room), np.uint64)
    cdef uint64_t *number = <uint64_t *>items(rows, 8, True)
    for column, own in zip(columns, places):
        count, shape = len(column), <const uint64_t *>items(column, 8)
        texts, segment = len(own), <const int32_t *>items(own, 4)
        for at in range(texts):
            place = find(known, size, shape[segment[at]])
            if place == size or known[place] != shape[segment[at]]:
                continue
            number[found] = place
            if segment[at]:
                number[room + found] = shape[segment[at] - 1]
            if segment[at] + 1 < count:
                number[2 * room + found] = shape[segment[at] + 1]
            found += 1
    return rows[0, :found].astype(np.int64), rows[1, :found], rows[2, :found]


def recurring_corpus(
    pages, int size, int every=1, RunCounts counts=None, uint32_t least=0, RunCounts others=None, uint32_t below=0
):
    """Return each part of some pages once.

    Only texts count that have a sampled run on enough pages. Without counts all count.

    Args:
        pages: What `recurring_parts` returned for each page.
        size: Tokens of a run.
        every: Runs of which one is sampled.
        counts: The pages that have each run; None = all texts count.
        least: Pages that are enough.
        others: Pages of a larger window that have each run; None = there is none.
        below: Pages of that window that are too many.

    Returns:
        The tokens of the parts as uint16, a break around each; the part that each token is in, as int32; and which
        pages have each part, as bits, in rows of uint64.
    """
    cdef Py_ssize_t held = sum(map(len, pages)), number, at, row, first, total = 1, filled = 1, words
    cdef const uint16_t *token
    numbers, parts, rows, ends = {}, {}, [], [0]    # of texts, and of their parts
    of_pages = np.empty((2, held), np.int32)
    cdef int32_t *text_of = <int32_t *>items(of_pages, 4, True)
    cdef int32_t *page_of = text_of + held
    held = number = 0
    for page in pages:
        for text in page:
            known = numbers.get(text)
            if known is None:
                known = numbers[text] = len(numbers)
                token, first = <const uint16_t *>PyBytes_AS_STRING(text), 0
                words = PyBytes_GET_SIZE(text) // 2
                if counts is None or _recurs(token, words, size, every, counts, least, others, below):
                    for at in range(words + 1):
                        if at < words and token[at] != BREAK:
                            continue
                        if at > first:
                            part = PyBytes_FromStringAndSize(<const char *>(token + first), 2 * (at - first))
                            rows.append(parts.setdefault(part, len(parts)))
                        first = at + 1
                ends.append(len(rows))
            text_of[held], page_of[held] = known, <int32_t>number
            held += 1
        number += 1
    words = max(number + 63 >> 6, 1)
    bits = np.zeros((len(parts), words), np.uint64)
    cdef uint64_t *bit = <uint64_t *>items(bits, 8, True)
    row_column, end_column = np.array(rows, np.int32), np.array(ends, np.int32)
    cdef const int32_t *row_of = <const int32_t *>items(row_column, 4)
    cdef const int32_t *end = <const int32_t *>items(end_column, 4)
    for at in range(held):
        for row in range(end[text_of[at]], end[text_of[at] + 1]):
            bit[row_of[row] * words + (page_of[at] >> 6)] |= <uint64_t>1 << (page_of[at] & 63)
    for part in parts:
        total += PyBytes_GET_SIZE(part) // 2 + 1
    tokens, owners = np.zeros(total, np.uint16), np.zeros(total, np.int32)
    cdef uint16_t *result = <uint16_t *>items(tokens, 2, True)
    cdef int32_t *owner = <int32_t *>items(owners, 4, True)
    row = 0
    for part in parts:
        first = PyBytes_GET_SIZE(part) // 2
        memcpy(result + filled, PyBytes_AS_STRING(part), 2 * first)
        for at in range(filled, filled + first + 1):
            owner[at] = <int32_t>row
        filled += first + 1
        row += 1
    return tokens, owners, bits


cdef bint _recurs(
    const uint16_t *token, Py_ssize_t words, int size, int every,
    RunCounts counts, uint32_t least, RunCounts others, uint32_t below,
) noexcept:
    """Return whether a text has a sampled run that is on enough pages."""
    cdef Py_ssize_t at, room = 0
    cdef uint32_t key
    for at in range(words):
        room = room + 1 if token[at] != BREAK else 0
        if room < size or not _is_seed(token + at + 1 - size, size, every, &key):
            continue
        if counts._pages(key) >= least and (others is None or others._pages(key) < below):
            return True
    return False
