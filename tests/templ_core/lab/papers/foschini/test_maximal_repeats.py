from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.lab.papers.foschini.phrases import find_repeats, opened
from templ_core.site_level.strings.suffix_array import (
    BORDER,
    BREAK,
    SuffixArray,
    tokens_left,
)


def repeats_by_brute_force(tokens, documents, documents_min, tokens_min):
    """Count every string position by position, and return those that cannot be extended."""
    places = defaultdict(list)
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            if tokens[end - 1] == BREAK:
                break
            places[tuple(tokens[start:end])].append(start)
            if tokens[end - 1] == BORDER and end - start > 1:
                break
    found = {}
    for string, starts in places.items():
        count = len({documents[start] for start in starts})
        if count < documents_min or len(string) < tokens_min or len(starts) < 2:
            continue
        before = {tokens[start - 1] if start else BREAK for start in starts}
        after = {
            tokens[start + len(string)] if start + len(string) < len(tokens) else BREAK
            for start in starts
        }
        closed_left = string[0] == BORDER or before == {BREAK} or len(before) > 1
        ended = string[-1] == BORDER and len(string) > 1
        closed_right = ended or after == {BREAK} or len(after) > 1
        if closed_left and closed_right:
            found[string] = count
    return found


def repeats(tokens, documents, **limits):
    tokens = np.array(tokens, np.uint16)
    found = find_repeats(SuffixArray(tokens), np.array(documents, np.uint16), **limits)
    columns = (found.starts, found.lengths, found.documents)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    strings = {
        tuple(tokens[start : start + length].tolist()): count for start, length, count in rows
    }
    assert len(strings) == len(rows)
    return strings


@st.composite
def corpora(draw):
    """Draw documents of few different tokens, some with breaks or borders."""
    tokens, documents = [], []
    for document in range(draw(st.integers(1, 8))):
        words = draw(st.lists(st.sampled_from([2, 3, 4, BORDER, BREAK]), max_size=24))
        tokens += [*words, BREAK]
        documents += [document] * (len(words) + 1)
    return tokens, documents


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(2, 5), st.integers(1, 4))
def test_repeats_equal_those_found_by_brute_force(corpus, documents_min, tokens_min):
    tokens, documents = corpus
    limits = {"documents_min": documents_min, "tokens_min": tokens_min}
    assert repeats(tokens, documents, **limits) == repeats_by_brute_force(
        tokens, documents, documents_min, tokens_min
    )


def test_copies_in_one_document_count_once():
    tokens = [2, 3, BREAK, 2, 3, 4, 2, 3, BREAK]
    found = repeats(tokens, [0, 0, 0, 1, 1, 1, 1, 1, 1], documents_min=2)
    assert found == {(2, 3): 2}


@pytest.mark.parametrize("tokens", [[], [2], [BREAK], [2, 2]])
def test_a_single_document_has_no_repeats(tokens):
    assert repeats(tokens, [0] * len(tokens), documents_min=2) == {}


def test_strings_end_at_breaks_and_borders():
    tokens = np.array([2, 3, BORDER, 4, BREAK, BORDER, BORDER, 2], np.uint16)
    assert tokens_left(tokens).tolist() == [3, 2, 2, 1, 0, 2, 2, 1]


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 8))
def test_opening_is_the_largest_minimum_around_each_value(values, width):
    windows = [range(start, start + width) for start in range(len(values) - width + 1)]
    expected = [
        max((min(values[i] for i in window) for window in windows if at in window), default=0)
        for at in range(len(values))
    ]
    assert opened(np.array(values, np.int32), width).tolist() == expected
