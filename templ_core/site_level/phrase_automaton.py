"""All phrases at once: the automaton of Aho and Corasick (CACM 1975) over token numbers."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

UNKNOWN = -1
"""A token that is in no phrase."""


class PhraseAutomaton:
    """Finds where any of many sequences of numbers occur, overlapping ones included.

    A state keeps the length of the longest sequence that ends there, its own or that of a suffix:
    shorter ones add nothing to the union of all occurrences.
    """

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        """Build the automaton of non-empty sequences of numbers from 0 on."""
        self._next: list[dict[int, int]] = [{}]
        self._longest = [0]
        for sequence in sequences:
            self._insert(sequence)
        self._suffix = [0] * len(self._next)
        self._link_suffixes()

    def _insert(self, sequence: Sequence[int]) -> None:
        state = 0
        for number in sequence:
            following = self._next[state].get(number)
            if following is None:
                following = self._next[state][number] = len(self._next)
                self._next.append({})
                self._longest.append(0)
            state = following
        self._longest[state] = len(sequence)

    def _link_suffixes(self) -> None:
        """Breadth first, so that what a state's suffix knows is complete."""
        level = list(self._next[0].values())
        while level:
            below = []
            for state in level:
                for number, following in self._next[state].items():
                    suffix = self._suffix[state]
                    while suffix and number not in self._next[suffix]:
                        suffix = self._suffix[suffix]
                    suffix = self._next[suffix].get(number, 0)
                    self._suffix[following] = suffix
                    self._longest[following] = self._longest[following] or self._longest[suffix]
                    below.append(following)
            level = below

    def occurrences(self, numbers: Sequence[int]) -> tuple[Ints, Ints]:
        """First and last place of occurrences: at each place where any ends, the longest."""
        following, longest, suffix = self._next, self._longest, self._suffix
        ends: list[int] = []
        lengths: list[int] = []
        state = 0
        for place, number in enumerate(numbers):
            while (step := following[state].get(number)) is None and state:
                state = suffix[state]
            state = step or 0
            if length := longest[state]:
                ends.append(place)
                lengths.append(length)
        last = np.array(ends, np.int64)
        return last - np.array(lengths, np.int64) + 1, last

    def covered(self, numbers: Sequence[int]) -> Bools:
        """Which of `numbers` are inside an occurrence of any sequence; of the same length."""
        first, last = self.occurrences(numbers)
        change = np.zeros(len(numbers) + 1, np.int64)
        np.add.at(change, first, 1)
        np.subtract.at(change, last + 1, 1)
        inside: Bools = np.cumsum(change[:-1]) > 0
        return inside
