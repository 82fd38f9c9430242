"""The tokens of lines and of markup; `phrase_corpus.py` says what they are."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from templ_core._arrays cimport items
from templ_core._letters cimport KNOWN, SPACE, UNSPACED, WORD
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core._byte_string cimport resized

import numpy as np

from templ_core.letters import letter_tables
from templ_core.tokens import JOINERS, JOINERS_MAX, UNSPACED_RANGES

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    uint32_t *PyUnicode_AsUCS4(object text, uint32_t *points, Py_ssize_t room, int end) except NULL

cdef enum CharacterClass:
    MARK                # neither blank nor in a word
    JOINING_MARK        # makes one compound of the words at its sides
    IN_WORD
    ALONE               # of a script without spaces: a token by itself
    BLANK

cdef enum:
    JOINED_MAX = 3      # equal to `templ_core.tokens.JOINERS_MAX`

assert JOINED_MAX == JOINERS_MAX

cdef unsigned char[KNOWN] CLASS
cdef bint classes_are_known = False


cdef int _fill_classes() except -1:
    global classes_are_known
    cdef const unsigned short[::1] classes
    cdef Py_ssize_t point
    if classes_are_known:
        return 0
    classes = letter_tables()[0]
    for point in range(KNOWN):
        if classes[point] & UNSPACED:
            CLASS[point] = ALONE
        elif classes[point] & WORD:
            CLASS[point] = IN_WORD
        else:
            CLASS[point] = BLANK if classes[point] & SPACE else MARK
    for point in map(ord, JOINERS):
        CLASS[point] = JOINING_MARK
    classes_are_known = True
    return 0


cdef inline int _class_of(uint32_t point) except -1:
    return CLASS[point] if point < KNOWN else _rare_class(point)


cdef int _rare_class(uint32_t point) except -1:
    if any(first <= point <= last for first, last in UNSPACED_RANGES):
        return ALONE
    return IN_WORD if chr(point).isalnum() else MARK


cdef struct Scan:
    uint32_t *points
    Py_ssize_t size
    bint markup
    Py_ssize_t first        # of the token
    Py_ssize_t behind


cdef int _begin(Scan *scan, object text, bint markup) except -1:
    scan.size = PyUnicode_GetLength(text)
    scan.markup = markup
    scan.first = scan.behind = 0
    scan.points = <uint32_t *>malloc((scan.size + 1) * sizeof(uint32_t))
    if scan.points == NULL:
        raise MemoryError
    PyUnicode_AsUCS4(text, scan.points, scan.size + 1, 1)
    return 0


cdef bint _next(Scan *scan) except -1:
    """Move to the next token; return False at the end."""
    cdef Py_ssize_t at = scan.behind, size = scan.size
    cdef int character
    while at < size:
        character = _class_of(scan.points[at])
        if character == IN_WORD or character == ALONE or (
            character != BLANK if scan.markup else scan.points[at] == c"\n"
        ):
            break
        at += 1
    else:
        return False
    scan.first = at
    if character == IN_WORD:
        at = _compound_end(scan, at)
    elif character == ALONE or not scan.markup:
        at += 1
    else:
        while at < size and _class_of(scan.points[at]) <= JOINING_MARK:
            at += 1
    scan.behind = at
    return True


cdef Py_ssize_t _compound_end(Scan *scan, Py_ssize_t at) except -1:
    cdef Py_ssize_t size = scan.size, end
    while True:
        while at < size and _class_of(scan.points[at]) == IN_WORD:
            at += 1
        end = at
        while at < size and at - end < JOINED_MAX and _class_of(scan.points[at]) == JOINING_MARK:
            at += 1
        if at == end or at == size or _class_of(scan.points[at]) != IN_WORD:
            return end


def token_spans(str text, *, bint markup):
    """Return the index of each token's first character, and the index behind its last one."""
    cdef Scan scan
    cdef Py_ssize_t count = 0
    cdef int64_t[:, ::1] column
    _fill_classes()
    _begin(&scan, text, markup)
    try:
        spans = np.empty((scan.size, 2), np.int64)
        column = spans
        while _next(&scan):
            column[count, 0], column[count, 1] = scan.first, scan.behind
            count += 1
    finally:
        free(scan.points)
    return spans[:count]


cdef class TokenNumbers:
    """Gives tokens numbers by a function that is called once for each token while it is remembered.

    Args:
        number_of: Returns the number of a token.
        border: The number of a line's border.
        remembered_max: Different tokens that are remembered; then the memory starts anew.
    """

    cdef Interner known
    cdef int32_t *numbers       # of each known token
    cdef int room
    cdef object number_of
    cdef int32_t border
    cdef int remembered_max

    def __cinit__(self):
        interner_begin(&self.known)

    def __init__(self, number_of, *, int32_t border, int remembered_max):
        _fill_classes()
        self.number_of, self.border, self.remembered_max = number_of, border, remembered_max

    def __dealloc__(self):
        interner_end(&self.known)
        free(self.numbers)

    def read(self, list texts, *, bint markup=False):
        """Return the number of each token of some texts, and the index of its text.

        Without `markup` there is a border before and after each line, and so of each text; the text of
        a border is the one after it.
        """
        cdef Scan scan
        cdef Py_ssize_t number, room = 1, count = 0
        cdef int32_t *token
        cdef int32_t *owner
        for number in range(len(texts)):
            room += PyUnicode_GetLength(texts[number]) + 1
        tokens, owners = np.empty(room, np.int32), np.empty(room, np.int32)
        token, owner = <int32_t *>items(tokens, 4, True), <int32_t *>items(owners, 4, True)
        for number in range(len(texts)):
            if not markup:
                token[count], owner[count] = self.border, number
                count += 1
            _begin(&scan, texts[number], markup)
            try:
                while _next(&scan):
                    token[count], owner[count] = self._number(&scan, texts[number]), number
                    count += 1
            finally:
                free(scan.points)
        if not markup:
            token[count], owner[count] = self.border, len(texts)
            count += 1
        return tokens[:count].copy(), owners[:count].copy()

    cdef int32_t _number(self, Scan *scan, str text) except? -2:
        cdef int number, before = self.known.count
        if scan.points[scan.first] == c"\n":
            return self.border
        number = self._known_as(scan)
        if number == before:
            if before == self.remembered_max:
                interner_end(&self.known)
                interner_begin(&self.known)
                number = self._known_as(scan)
            if number >= self.room:
                self.room = 2 * number + 256
                self.numbers = <int32_t *>resized(self.numbers, self.room * sizeof(int32_t))
            self.numbers[number] = self.number_of(text[scan.first : scan.behind])
        return self.numbers[number]

    cdef inline int _known_as(self, Scan *scan) except -1:
        return interner_number(
            &self.known,
            <const char *>&scan.points[scan.first],
            (scan.behind - scan.first) * sizeof(uint32_t),
        )
