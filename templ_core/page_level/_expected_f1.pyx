"""The cut with the best expected F1, see `templ_core.page_level.expected_f1`."""

from libc.math cimport INFINITY, exp

import numpy as np


def best_cut(
    const double[::1] odds,
    const unsigned char[::1] left_out,
    const double[::1] words,
    double recall_share,
):
    """Which segments to keep, and the F1 to expect."""
    cdef Py_ssize_t size = odds.shape[0], place, segment, best = 0
    cdef double mass = 0, kept_mass = 0, kept_words = 0, expected, highest = 0
    contents, ranks, kept = np.empty(size), np.empty(size), np.zeros(size, np.bool_)
    cdef double[::1] content = contents, rank = ranks
    cdef unsigned char[::1] is_kept = kept.view(np.uint8)
    cdef const Py_ssize_t[::1] order
    for segment in range(size):
        content[segment] = 1 / (1 + exp(-odds[segment]))
        rank[segment] = -content[segment]
        if left_out[segment]:
            rank[segment] = INFINITY
        else:
            mass += content[segment] * words[segment]
    order = ranks.argsort(kind="stable")
    for place in range(size):
        segment = order[place]
        if left_out[segment]:
            break
        kept_mass += content[segment] * words[segment]
        kept_words += words[segment]
        expected = 2 * kept_mass / (kept_words + recall_share * mass + 1e-9)
        if expected > highest or not place:
            highest, best = expected, place + 1
    for place in range(best):
        is_kept[order[place]] = True
    return kept, min(highest, 1.0)
