"""Compiled loops over characters and words; see `templ_core.page_level.features.characters`."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from templ_core._letters cimport (
    CLOSER, DIGIT, KNOWN, SENTENCE_END, SPACE, UNSPACED, UPPER, WORD
)
from templ_core._hashing cimport mix

import functools

import numpy as np

from templ_core._arrays cimport items
from templ_core.letters import letter_tables

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    uint32_t *PyUnicode_AsUCS4(object text, uint32_t *points, Py_ssize_t room, int end) except NULL

cdef enum:
    POWERS = 1024           # characters and words further on share the last factor
    WIDE_MARK = 0x3000      # from here on, the end of a sentence needs no space behind it

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15
cdef uint64_t[POWERS] POWER


cdef void _fill_powers() noexcept:
    cdef uint64_t power = 1
    cdef int place
    for place in range(POWERS):
        power *= SPREAD
        POWER[place] = power


_fill_powers()


@functools.cache
def _token_tables():
    """Return the tables of letters in which vowel signs are words, too, as they are tokens but no letters."""
    classes, lower = letter_tables()
    return np.where(classes & UNSPACED, classes | WORD, classes).astype(np.uint16), lower


def read_characters(list texts):
    """Return the columns of `Characters` by name."""
    cdef Py_ssize_t count = len(texts), number, at = 0, place
    cdef uint32_t point
    starts, lengths = np.empty(count, np.int64), np.empty(count, np.int64)
    cdef int64_t *start = <int64_t *>items(starts, 8, True)
    cdef int64_t *length = <int64_t *>items(lengths, 8, True)
    for number in range(count):
        start[number] = at
        length[number] = PyUnicode_GetLength(texts[number])
        at += length[number] + 1
    points, classes = np.empty(at, np.uint32), np.empty(at, np.uint16)
    cdef uint32_t *lower = <uint32_t *>items(points, 4, True)
    cdef uint16_t *bits = <uint16_t *>items(classes, 2, True)
    class_table, lower_table = _token_tables()
    cdef const uint16_t *class_of = <const uint16_t *>items(class_table, 2)
    cdef const uint32_t *lower_of = <const uint32_t *>items(lower_table, 4)
    for number in range(count):
        place = start[number]
        if length[number]:
            PyUnicode_AsUCS4(texts[number], &lower[place], length[number], 0)
        lower[place + length[number]] = c"\n"
    for place in range(at):
        point = lower[place]
        if point < KNOWN:
            lower[place] = lower_of[point]
            bits[place] = class_of[point]
        else:
            bits[place] = class_of[KNOWN]
    return dict(classes=classes, lower=points, starts=starts, lengths=lengths)


def read_words(class_column, lower_column, start_column):
    """Return the columns of `Words` by name."""
    cdef Py_ssize_t size = len(class_column), segments = len(start_column)
    cdef const uint16_t *classes = <const uint16_t *>items(class_column, 2)
    cdef const uint32_t *lower = <const uint32_t *>items(lower_column, 4)
    cdef const int64_t *starts = <const int64_t *>items(start_column, 8)
    cdef Py_ssize_t count = _count_words(classes, size)
    cdef Py_ssize_t segment, at, stop, begin, place, word = 0
    cdef uint64_t total
    cdef int bits
    columns = dict(
        first=np.empty(count, np.int64),
        length=np.empty(count, np.int64),
        segment=np.empty(count, np.int64),
        place=np.empty(count, np.int64),
        hashes=np.empty(count, np.uint64),
        numeric=np.empty(count, np.bool_),
        capital=np.empty(count, np.bool_),
        ends=np.zeros(count, np.bool_),
        per_segment=np.empty(segments, np.int64),
    )
    cdef int64_t *first_of = <int64_t *>items(columns["first"], 8, True)
    cdef int64_t *length_of = <int64_t *>items(columns["length"], 8, True)
    cdef int64_t *segment_of = <int64_t *>items(columns["segment"], 8, True)
    cdef int64_t *place_of = <int64_t *>items(columns["place"], 8, True)
    cdef uint64_t *hash_of = <uint64_t *>items(columns["hashes"], 8, True)
    cdef unsigned char *is_numeric = <unsigned char *>items(columns["numeric"], 1, True)
    cdef unsigned char *is_capital = <unsigned char *>items(columns["capital"], 1, True)
    cdef unsigned char *is_last = <unsigned char *>items(columns["ends"], 1, True)
    cdef int64_t *words_of = <int64_t *>items(columns["per_segment"], 8, True)
    cdef int mark           # what has stood since the last word: 1 a sentence's end, 2 and no space needed
    for segment in range(segments):
        at = starts[segment]
        stop = starts[segment + 1] if segment + 1 < segments else size
        place, mark = 0, 0
        while at < stop:
            bits = classes[at]
            if not bits & WORD:
                if bits & SENTENCE_END:
                    mark = 2 if mark == 2 or lower[at] >= WIDE_MARK else 1
                elif bits & SPACE and (mark or lower[at] == c"\n"):
                    mark = 2
                elif not bits & CLOSER and mark == 1:
                    mark = 0
                at += 1
                continue
            if place and mark == 2:
                is_last[word - 1] = True
            mark = 0
            is_capital[word] = bits & UPPER != 0
            begin, total = at, lower[at] * POWER[0]
            at += 1
            if not bits & UNSPACED:
                while classes[at] & (WORD | UNSPACED) == WORD:
                    bits |= classes[at]
                    total += lower[at] * POWER[min(at - begin, POWERS - 1)]
                    at += 1
            first_of[word], length_of[word] = begin, at - begin
            segment_of[word], place_of[word] = segment, place
            hash_of[word], is_numeric[word] = mix(total), bits & DIGIT != 0
            place += 1
            word += 1
        if place:
            is_last[word - 1] = True
        words_of[segment] = place
    return columns


def read_words_and_title(dict characters):
    """Return the columns of `Words` for all texts but the last, and the hashes of the words of that one.

    Args:
        characters: What `read_characters` returns for the texts of a page and its title.
    """
    columns = read_words(characters["classes"], characters["lower"], characters["starts"])
    cdef Py_ssize_t segments = len(columns["per_segment"]) - 1
    cdef Py_ssize_t words = len(columns["first"]) - columns["per_segment"][segments]
    title = columns["hashes"][words:]
    found = {name: column[:words] for name, column in columns.items()}
    found["per_segment"] = columns["per_segment"][:segments]
    return found, title


cdef Py_ssize_t _count_words(const uint16_t *classes, Py_ssize_t size) noexcept:
    """Return how many characters begin a word; each character of an unspaced script is one."""
    cdef Py_ssize_t at
    cdef int count = size > 0 and classes[0] & WORD
    cdef int joined
    for at in range(1, size):
        joined = classes[at - 1] & ~((classes[at - 1] | classes[at]) >> 1)
        count += classes[at] & ~joined & WORD
    return count


def text_hashes(hash_column, words_column):
    """Return one hash of each segment's words in order."""
    cdef Py_ssize_t segment, count = len(words_column), place, word = 0
    cdef const uint64_t *hashes = <const uint64_t *>items(hash_column, 8)
    cdef const int64_t *words = <const int64_t *>items(words_column, 8)
    cdef uint64_t total
    texts = np.empty(count, np.uint64)
    cdef uint64_t *result = <uint64_t *>items(texts, 8, True)
    for segment in range(count):
        total = 0
        for place in range(words[segment]):
            total += hashes[word] * POWER[min(place, POWERS - 1)]
            word += 1
        result[segment] = mix(total)
    return texts
