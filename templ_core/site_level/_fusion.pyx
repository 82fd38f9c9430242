"""Weighed sums of columns, see `templ_core.site_level.fusion`."""

from libc.math cimport exp, rint
from libc.stdint cimport int64_t

import numpy as np


def weighed(dict columns, dict terms, double bias):
    """bias + the sum over terms of weight * (column within low .. high)."""
    cdef double weight, low, high
    cdef const double[:] column = columns["page"]
    cdef double[::1] total
    cdef Py_ssize_t segment
    odds = np.full(column.shape[0], bias)
    total = odds
    for name, term in terms.items():
        weight, low, high, column = term.weight, term.low, term.high, columns[name]
        for segment in range(column.shape[0]):
            total[segment] += weight * min(max(column[segment], low), high)
    return odds


def strongest_kinds(
    dict columns, dict terms, dict neutral, list kind_of_term, int kinds,
    const unsigned char[::1] kept,
):
    """The kind of terms that speaks most for what became of each segment.

    Args:
        columns: Name to values, one for each segment.
        terms: Name to term.
        neutral: Name to the value that speaks for neither side.
        kind_of_term: Number of each term's kind.
        kinds: How many there are.
        kept: Whether each segment is.
    """
    cdef Py_ssize_t size = kept.shape[0], segment
    cdef double weight, middle, found
    cdef const double[:] column
    cdef int kind
    strengths, best = np.zeros((kinds, size)), np.zeros(size, np.int64)
    cdef double[:, ::1] strength = strengths
    cdef int64_t[::1] strongest = best
    for (name, term), kind in zip(terms.items(), kind_of_term):
        weight, middle, column = term.weight, neutral[name], columns[name]
        for segment in range(size):
            found = weight * (column[segment] - middle)
            strength[kind, segment] += found if kept[segment] else -found
    for kind in range(1, kinds):
        for segment in range(size):
            if strength[kind, segment] > strength[strongest[segment], segment]:
                strongest[segment] = kind
    return best


def faded(
    const double[::1] own, const double[::1] fused, const double[::1] weight, double steps
):
    """The page's own odds, `weight` of the way to the fused ones; rounded to so many steps of 1."""
    cdef Py_ssize_t segment
    cdef double mixed
    odds = np.empty(own.shape[0])
    cdef double[::1] rounded = odds
    for segment in range(own.shape[0]):
        mixed = own[segment] + weight[segment] * (fused[segment] - own[segment])
        rounded[segment] = rint(mixed * steps) / steps
    return odds


def words_at_stake(
    const double[::1] own,
    const double[::1] words,
    const double[::1] constant,
    const unsigned char[::1] kept_alone,
    const unsigned char[::1] kept,
):
    """Words of content by the page alone, and constant ones of them; words kept alone, and kept."""
    cdef Py_ssize_t segment
    cdef double mass, content = 0, recurring = 0, alone = 0, together = 0
    for segment in range(own.shape[0]):
        mass = words[segment] / (1 + exp(-own[segment]))
        content += mass
        recurring += mass * constant[segment]
        alone += words[segment] * kept_alone[segment]
        together += words[segment] * kept[segment]
    return content, recurring, alone, together
