"""Finding all phrases at once: the automaton of Aho and Corasick (CACM 1975) over token numbers."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from templ_core._arrays cimport items

UNKNOWN = -1
"""The number of a token that is in no phrase."""

cdef struct Step:
    int32_t state
    int32_t number
    int32_t following       # 0 = the slot is free: no step leads to the root


cdef class PhraseAutomaton:
    """Finds where any of many sequences of numbers occur, overlapping ones included.

    A state keeps the length of the longest sequence that ends there, its own or that of a suffix:
    shorter ones add nothing to the union of all occurrences.

    Args:
        sequences: Sequences of numbers from 0 on, none of them empty.
    """

    cdef Step *steps            # A hash table with open addressing
    cdef uint64_t mask
    cdef int32_t[::1] suffix    # of each state
    cdef int32_t[::1] longest

    def __init__(self, sequences):
        cdef list found = [np.array(one, np.int32) for one in sequences]
        cdef Py_ssize_t room = 1 + sum(map(len, found)), place, count = 1
        cdef int32_t state, following
        cdef const int32_t[::1] sequence
        self.mask = 15
        while self.mask < <uint64_t>(2 * room):
            self.mask = 2 * self.mask + 1
        self.steps = <Step *>calloc(self.mask + 1, sizeof(Step))
        if self.steps == NULL:
            raise MemoryError
        longest = np.zeros(room, np.int32)
        parents, numbers, depths = np.zeros((3, room), np.int32)
        cdef int32_t[::1] own = longest, parent = parents, number = numbers, depth = depths
        for one in found:
            sequence = one
            state = 0
            for place in range(sequence.shape[0]):
                following = self._following(state, sequence[place])
                if not following:
                    following = count
                    self._put(state, sequence[place], following)
                    parent[count], number[count], depth[count] = state, sequence[place], place + 1
                    count += 1
                state = following
            own[state] = sequence.shape[0]
        self.longest = longest[:count].copy()
        self.suffix = np.zeros(count, np.int32)
        self._link_suffixes(np.argsort(depths[:count], kind="stable"), parent, number)

    def __dealloc__(self):
        free(self.steps)

    cdef int _link_suffixes(
        self, const Py_ssize_t[::1] order, int32_t[::1] parent, int32_t[::1] number
    ) except -1:
        """Set the suffix of each state, breadth first: a state's suffix is then complete before it."""
        cdef Py_ssize_t place
        cdef int32_t state, suffix
        for place in range(1, order.shape[0]):
            state = order[place]
            suffix = 0
            if parent[state]:
                suffix = self._step(self.suffix[parent[state]], number[state])
            self.suffix[state] = suffix
            if not self.longest[state]:
                self.longest[state] = self.longest[suffix]
        return 0

    cdef inline uint64_t _slot(self, int32_t state, int32_t number) noexcept:
        """Return where the step is, or where it is to be put."""
        cdef uint64_t value = (<uint64_t>state << 32 | <uint64_t>number) * <uint64_t>0x9E3779B97F4A7C15
        cdef uint64_t slot = (value ^ value >> 32) & self.mask
        cdef Step *step = &self.steps[slot]
        while step.following and (step.state != state or step.number != number):
            slot = (slot + 1) & self.mask
            step = &self.steps[slot]
        return slot

    cdef inline int32_t _following(self, int32_t state, int32_t number) noexcept:
        return self.steps[self._slot(state, number)].following

    cdef void _put(self, int32_t state, int32_t number, int32_t following) noexcept:
        self.steps[self._slot(state, number)] = Step(state, number, following)

    cdef inline int32_t _step(self, int32_t state, int32_t number) noexcept:
        """Return the state after a number."""
        cdef int32_t following
        if number < 0:
            return 0
        while True:
            following = self._following(state, number)
            if following or not state:
                return following
            state = self.suffix[state]

    def lengths(self, numbers):
        """Return the length of the longest occurrence that ends at each place; 0 = none."""
        cdef Py_ssize_t size = len(numbers), place
        cdef const int32_t *number = <const int32_t *>items(numbers, 4)
        cdef int32_t state = 0
        lengths = np.empty(size, np.int32)
        cdef int32_t *length = <int32_t *>items(lengths, 4, True)
        for place in range(size):
            state = self._step(state, number[place])
            length[place] = self.longest[state]
        return lengths

    def covered(self, numbers):
        """Return which of the numbers are inside an occurrence of any sequence."""
        cdef Py_ssize_t place
        cdef int32_t left = 0
        lengths, inside = self.lengths(numbers), np.empty(len(numbers), np.bool_)
        cdef const int32_t *length = <const int32_t *>items(lengths, 4)
        cdef uint8_t *is_inside = <uint8_t *>items(inside, 1, True)
        for place in range(len(numbers) - 1, -1, -1):
            left = max(left - 1, length[place])
            is_inside[place] = left > 0
        return inside
