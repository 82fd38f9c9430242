"""The cut with the best expected F1, see `templ_core.page_level.selection.expected_f1`."""

from libc.math cimport INFINITY, exp
from libc.stdint cimport uint8_t

import numpy as np

from templ_core._arrays cimport items


def best_cut(log_odds, left_out, words, double recall_share):
    """Which segments to keep, and the F1 to expect."""
    cdef Py_ssize_t size = len(log_odds), place, segment, best = 0
    cdef double mass = 0, kept_mass = 0, kept_words = 0, expected, highest = 0
    cdef const double *score = <const double *>items(log_odds, 8)
    cdef const double *number = <const double *>items(words, 8)
    cdef const uint8_t *is_out = <const uint8_t *>items(left_out, 1)
    contents, ranks, kept = np.empty(size), np.empty(size), np.zeros(size, np.bool_)
    cdef double *content = <double *>items(contents, 8, True)
    cdef double *rank = <double *>items(ranks, 8, True)
    cdef uint8_t *is_kept = <uint8_t *>items(kept, 1, True)
    cdef const Py_ssize_t *order
    for segment in range(size):
        content[segment] = 1 / (1 + exp(-score[segment]))
        rank[segment] = -content[segment]
        if is_out[segment]:
            rank[segment] = INFINITY
        else:
            mass += content[segment] * number[segment]
    ranked = ranks.argsort(kind="stable")
    order = <const Py_ssize_t *>items(ranked, sizeof(Py_ssize_t))
    for place in range(size):
        segment = order[place]
        if is_out[segment]:
            break
        kept_mass += content[segment] * number[segment]
        kept_words += number[segment]
        expected = 2 * kept_mass / (kept_words + recall_share * mass + 1e-9)
        if expected > highest or not place:
            highest, best = expected, place + 1
    for place in range(best):
        is_kept[order[place]] = True
    return kept, min(highest, 1.0)
