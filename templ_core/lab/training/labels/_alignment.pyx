"""The dynamic programme of the alignment: its table, row by row, and the way back through it."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

cdef enum:
    LEFT = 1                # leaving out this word of the page costs nothing
    UP = 2                  # leaving out this word of the gold text costs nothing
    RUNS_ON = 4             # a match here continues the run before it

cdef struct Rows:
    int32_t *best           # score of the best alignment up to each word of the page
    int32_t *ending         # score of the best one whose last match is here; -1 = none
    uint8_t *ways           # flags of each cell of the table


def aligned(
    const int32_t[::1] page,
    const int32_t[::1] gold,
    const uint8_t[::1] page_joins,
    const uint8_t[::1] gold_joins,
    int match,
    int run_match,
):
    """Return which words of the page are matched in one best alignment with the gold text.

    Args:
        page: Number of each word of the page.
        gold: Number of each word of the gold text.
        page_joins: Whether each word of the page follows directly on the one before it.
        gold_joins: Whether each word of the gold text follows directly on the one before it.
        match: Score of a match.
        run_match: Score of a match that continues a run.
    """
    cdef Py_ssize_t size = page.shape[0], row
    cdef Rows rows
    matched = np.zeros(size, np.bool_)
    cdef uint8_t[::1] found = matched.view(np.uint8)
    rows.best = <int32_t *>calloc(size + 1, sizeof(int32_t))
    rows.ending = <int32_t *>malloc((size + 1) * sizeof(int32_t))
    rows.ways = <uint8_t *>malloc(gold.shape[0] * size + 1)
    if rows.best == NULL or rows.ending == NULL or rows.ways == NULL:
        free(rows.best)
        free(rows.ending)
        free(rows.ways)
        raise MemoryError
    for row in range(size + 1):
        rows.ending[row] = -1
    with nogil:
        for row in range(gold.shape[0]):
            _fill_row(&rows, row, gold[row], gold_joins[row], page, page_joins, match, run_match)
        _trace(rows.ways, gold.shape[0], found)
    free(rows.best)
    free(rows.ending)
    free(rows.ways)
    return matched


cdef void _fill_row(
    Rows *rows,
    Py_ssize_t row,
    int32_t word,
    bint joins,
    const int32_t[::1] page,
    const uint8_t[::1] page_joins,
    int match,
    int run_match,
) noexcept nogil:
    """Replace the last row of the table by the next one, from left to right."""
    cdef Py_ssize_t size = page.shape[0], column
    cdef uint8_t *ways = rows.ways + row * size
    cdef int32_t best_before = 0, ending_before = -1        # from the last row, one column to the left
    cdef int32_t left = 0, score, value, best_above, ending_above
    cdef uint8_t way
    for column in range(size):
        best_above, ending_above = rows.best[column + 1], rows.ending[column + 1]
        score, way, value = -1, 0, max(left, best_above)
        if page[column] == word:
            score = best_before + match
            if joins and page_joins[column] and ending_before >= 0:
                if ending_before + run_match >= score:
                    score, way = ending_before + run_match, RUNS_ON
            value = max(value, score)
        way |= (LEFT if value == left else 0) | (UP if value == best_above else 0)
        ways[column] = way
        rows.best[column + 1], rows.ending[column + 1] = value, score
        best_before, ending_before, left = best_above, ending_above, value


cdef void _trace(const uint8_t *ways, Py_ssize_t rows, uint8_t[::1] found) noexcept nogil:
    """Mark the matches of one best alignment, from its end backwards."""
    cdef Py_ssize_t size = found.shape[0], row = rows - 1, column = size - 1
    cdef bint in_run = False
    cdef uint8_t way
    while row >= 0 and column >= 0:
        way = ways[row * size + column]
        if not in_run and way & LEFT:
            column -= 1
        elif not in_run and way & UP:
            row -= 1
        else:
            found[column] = True
            in_run = way & RUNS_ON
            row -= 1
            column -= 1
