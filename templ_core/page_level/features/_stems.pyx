"""Search for many stems of words at once (Aho and Corasick 1975)."""

from libc.stdint cimport uint16_t

import numpy as np

cdef enum:
    BYTES = 256


cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


cdef class Stems:
    """An automaton over UTF-8 that tells whether a text holds any of some stems.

    ASCII letters match in either case, tabs and line breaks match blanks, and underscores match
    hyphens. Each text is read as if a blank stood before it.

    Args:
        stems: Stems in lower case; one with a leading blank is found only where a name begins.
    """

    cdef object table
    cdef const uint16_t[:, ::1] next_state      # by state and byte
    cdef int found_from                         # states with this number or a larger one have found a stem
    cdef int start

    def __init__(self, stems):
        arcs, ends = _trie([stem.encode() for stem in stems])
        table, found = _automaton(arcs, ends)
        order = np.argsort(found, kind="stable")
        place = np.empty(len(order), np.uint16)
        place[order] = np.arange(len(order))
        folded = table[:, _folding()]
        self.table = np.ascontiguousarray(place[folded[order]])
        self.next_state = self.table
        self.found_from = len(order) - int(found.sum())
        self.start = place[table[0, ord(" ")]]

    def found_in(self, list texts):
        """Return the numbers of the texts that hold a stem."""
        cdef list found = []
        cdef Py_ssize_t number
        for number in range(len(texts)):
            if self.is_in(texts[number]):
                found.append(number)
        return found

    cdef bint is_in(self, object text) except -1:
        cdef Py_ssize_t size, place
        cdef const unsigned char *at = <const unsigned char *>PyUnicode_AsUTF8AndSize(text, &size)
        cdef int state = self.start
        for place in range(size):
            state = self.next_state[state, at[place]]
            if state >= self.found_from:
                return True
        return False


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
