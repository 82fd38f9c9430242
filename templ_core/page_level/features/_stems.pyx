"""Search for many stems of words at once (Aho and Corasick 1975)."""

from libc.stdint cimport uint16_t
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items

cdef enum:
    BYTES = 256
    BEGIN_BYTES = 3         # of a stem, by which the places are found where one may begin
    GROUPS = 8              # of stems; the bits of each byte say which of them have it in a place


cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


cdef class Stems:
    """An automaton over UTF-8 that finds whether a text holds any of some stems.

    ASCII letters match in either case, tabs and line breaks match blanks, and underscores match
    hyphens. Each text is read as if a blank stood before it.

    Where the automaton is in its root it moves on to the next three bytes that may begin a stem. The third of
    three bytes tells how far that is at least (Horspool 1980).

    Args:
        stems: Stems of at least three bytes in lower case; one with a leading blank is found only where a name begins.
    """

    cdef object table
    cdef const uint16_t *next_state             # by state and byte
    cdef unsigned char[BEGIN_BYTES][BYTES] begins
    cdef unsigned char[BYTES] steps             # bytes from where it is third to where a stem may begin
    cdef int found_from                         # states with this number or a larger one have found a stem
    cdef int start, root

    def __init__(self, stems):
        stems = [stem.encode() for stem in stems]
        arcs, ends = _trie(stems)
        table, found = _automaton(arcs, ends)
        order = np.argsort(found, kind="stable")
        place = np.empty(len(order), np.uint16)
        place[order] = np.arange(len(order))
        folded = table[:, _folding()]
        self.table = np.ascontiguousarray(place[folded[order]])
        self.next_state = <const uint16_t *>items(self.table, 2)
        self.found_from = len(order) - int(found.sum())
        self.start, self.root = place[table[0, ord(" ")]], place[0]
        self._note_begins(stems)

    cdef int _note_begins(self, list stems) except -1:
        cdef int number, at, byte
        folding = _folding().tolist()
        memset(self.begins, 0, sizeof(self.begins))
        for number, stem in enumerate(stems):
            if len(stem) < BEGIN_BYTES:
                raise ValueError(f"a stem of fewer than {BEGIN_BYTES} bytes")
            for at in range(BEGIN_BYTES):
                for byte in range(BYTES):
                    if folding[byte] == stem[at]:
                        self.begins[at][byte] |= 1 << number % GROUPS
        for byte in range(BYTES):
            self.steps[byte] = BEGIN_BYTES
            for at in range(BEGIN_BYTES):
                if self.begins[at][byte]:
                    self.steps[byte] = BEGIN_BYTES - 1 - at
        return 0

    def found_in(self, list texts):
        """Return the numbers of the texts that hold a stem."""
        cdef list found = []
        cdef Py_ssize_t number
        for number in range(len(texts)):
            if self.is_in(texts[number]):
                found.append(number)
        return found

    def found_in_attributes(self, list element_types):
        """Return the numbers of the pairs of a tag and attributes whose attributes hold a stem."""
        cdef list found = []
        cdef Py_ssize_t number
        for number in range(len(element_types)):
            if self.is_in((<tuple>element_types[number])[1]):
                found.append(number)
        return found

    cdef bint is_in(self, object text) except -1:
        cdef Py_ssize_t size
        cdef const unsigned char *at = <const unsigned char *>PyUnicode_AsUTF8AndSize(text, &size)
        cdef const unsigned char *end = at + size
        cdef int state = self.start
        while at < end:
            if state == self.root:
                at = self._next_begin(at, end)
                if at == end:
                    return False
            state = self.next_state[state * BYTES + at[0]]
            if state >= self.found_from:
                return True
            at += 1
        return False

    cdef const unsigned char *_next_begin(
        self, const unsigned char *at, const unsigned char *end
    ) noexcept:
        """Return the next place where a stem may begin; `end` if there is none."""
        while end - at >= BEGIN_BYTES:
            if self.steps[at[2]]:
                at += self.steps[at[2]]
                continue
            if self.begins[0][at[0]] & self.begins[1][at[1]] & self.begins[2][at[2]]:
                return at
            at += 1
        return end


def _trie(stems):
    """Return the arcs from each state by byte, and the states in which stems end."""
    arcs, ends = [{}], set()
    for stem in stems:
        state = 0
        for byte in list(stem):
            if byte not in arcs[state]:
                arcs[state][byte] = len(arcs)
                arcs.append({})
            state = arcs[state][byte]
        ends.add(state)
    return arcs, ends


def _automaton(arcs, ends):
    """Return the next state for each state and byte, and whether a stem ends in each state."""
    table = np.zeros((len(arcs), BYTES), np.uint16)
    found = np.zeros(len(arcs), np.bool_)
    waiting = [(0, 0)]
    for state, fallback in waiting:
        table[state] = table[fallback] if state else 0
        found[state] = state in ends or found[fallback]
        for byte, target in arcs[state].items():
            waiting.append((target, int(table[state, byte])))
            table[state, byte] = target
    return table, found


def _folding():
    """Return the byte that each byte is read as."""
    folded = np.arange(BYTES)
    folded[ord("A") : ord("Z") + 1] += ord("a") - ord("A")
    folded[ord("\t") : ord("\r") + 1] = ord(" ")
    folded[ord("_")] = ord("-")
    return folded
