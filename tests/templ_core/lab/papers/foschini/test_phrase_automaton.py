import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.papers.foschini._phrase_automaton import UNKNOWN, PhraseAutomaton

SEQUENCES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=12)
NUMBERS = st.lists(st.integers(UNKNOWN, 4), max_size=30)


@given(SEQUENCES, NUMBERS)
def test_the_automaton_finds_what_a_search_at_each_place_finds(sequences, numbers):
    ends = [0] * len(numbers)
    inside = [False] * len(numbers)
    for sequence in sequences:
        for start in range(len(numbers) - len(sequence) + 1):
            stop = start + len(sequence)
            if numbers[start:stop] == sequence:
                ends[stop - 1] = max(ends[stop - 1], len(sequence))
                inside[start:stop] = [True] * len(sequence)
    automaton = PhraseAutomaton(sequences)
    column = np.array(numbers, np.int32)
    assert automaton.lengths(column).tolist() == ends
    assert automaton.covered(column).tolist() == inside
