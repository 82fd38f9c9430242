"""Weighed sums of columns, see `templ_core.site_level.fusion.fusion`."""

from libc.math cimport INFINITY, exp, rint
from libc.stdint cimport int64_t, uint8_t

import numpy as np

from templ_core._arrays cimport items


def weighed(dict columns, dict terms, double bias):
    """bias + the sum over terms of weight * (column within low .. high)."""
    cdef Py_ssize_t size = len(columns["page"]), segment
    cdef double weight, low, high
    cdef const double *column
    log_odds = np.empty(size)
    cdef double *total = <double *>items(log_odds, 8, True)
    for segment in range(size):
        total[segment] = bias
    for name, term in terms.items():
        weight, low, high = term.weight, term.low, term.high
        column = <const double *>items(columns[name], 8)
        for segment in range(size):
            total[segment] += weight * min(max(column[segment], low), high)
    return log_odds


def strongest_evidence(
    dict columns, dict terms, dict neutral, list evidence_of_term, int sources, kept
):
    """The source of terms that speaks most for what became of each segment.

    Args:
        columns: Name to values, one for each segment.
        terms: Name to term.
        neutral: Name to the value that speaks for neither side.
        evidence_of_term: Number of each term's source.
        sources: How many there are.
        kept: Whether each segment is.
    """
    cdef Py_ssize_t size = len(kept), segment
    cdef double weight, middle, found
    cdef int source
    strengths, best = np.zeros(sources * size), np.zeros(size, np.int64)
    cdef double *strength = <double *>items(strengths, 8, True)
    cdef int64_t *strongest = <int64_t *>items(best, 8, True)
    cdef const uint8_t *is_kept = <const uint8_t *>items(kept, 1)
    cdef const double *column
    for (name, term), source in zip(terms.items(), evidence_of_term):
        weight, middle = term.weight, neutral[name]
        column = <const double *>items(columns[name], 8)
        for segment in range(size):
            found = weight * (column[segment] - middle)
            strength[source * size + segment] += found if is_kept[segment] else -found
    for source in range(1, sources):
        for segment in range(size):
            if strength[source * size + segment] > strength[strongest[segment] * size + segment]:
                strongest[segment] = source
    return best


def faded(own, fused, weight, double steps):
    """The page's own log_odds, `weight` of the way to the fused ones; rounded to so many steps of 1."""
    cdef Py_ssize_t size = len(own), segment
    cdef const double *alone = <const double *>items(own, 8)
    cdef const double *together = <const double *>items(fused, 8)
    cdef const double *share = <const double *>items(weight, 8)
    cdef double mixed
    log_odds = np.empty(size)
    cdef double *rounded = <double *>items(log_odds, 8, True)
    for segment in range(size):
        mixed = alone[segment] + share[segment] * (together[segment] - alone[segment])
        rounded[segment] = rint(mixed * steps) / steps
    return log_odds


def below_least(
    log_odds, words, in_best_box, usual_best_box, trust, recurs,
    bint is_article, bint is_documentation, double usual, double trusted, double sure,
    double some_words,
):
    """Segments whose log-odds are below what is asked of them; see `beside_the_box.py`."""
    cdef Py_ssize_t size = len(log_odds), segment
    cdef const double *value = <const double *>items(log_odds, 8)
    cdef const double *number = <const double *>items(words, 8)
    cdef const double *inside = <const double *>items(in_best_box, 8)
    cdef const double *usually = <const double *>items(usual_best_box, 8)
    cdef const double *known = <const double *>items(trust, 8)
    cdef const double *on_others = <const double *>items(recurs, 8)
    cdef double least
    cdef bint is_beside
    found = np.zeros(size, np.bool_)
    cdef uint8_t *is_below = <uint8_t *>items(found, 1, True)
    for segment in range(size):
        is_beside = inside[segment] < 0 and (usually[segment] < usual or known[segment] < trusted)
        least = -INFINITY
        if is_article:
            least = sure if is_beside and number[segment] >= some_words else 0
        if is_documentation and is_beside and on_others[segment] > 0:
            least = sure
        is_below[segment] = value[segment] < least
    return found


def words_at_stake(own, words, constant, kept):
    """Words of content by the page alone, and constant ones of them; words kept, and all."""
    cdef Py_ssize_t segment
    cdef const double *log_odds = <const double *>items(own, 8)
    cdef const double *number = <const double *>items(words, 8)
    cdef const double *is_constant = <const double *>items(constant, 8)
    cdef const uint8_t *stays = <const uint8_t *>items(kept, 1)
    cdef double mass, content = 0, recurring = 0, stay = 0, all = 0
    for segment in range(len(own)):
        mass = number[segment] / (1 + exp(-log_odds[segment]))
        content += mass
        recurring += mass * is_constant[segment]
        stay += number[segment] * stays[segment]
        all += number[segment]
    return content, recurring, stay, all
