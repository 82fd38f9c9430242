"""Constancy and pooled log-odds of places, see `templ_core.site_level.places.place_log_odds`."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items

from templ_core.site_level.places.place_counts import run_keys


def constant_texts(path_sums, text_pages, words, config):
    """Return whether each segment is constant text at its path: nearly the same on all pages, or in rotation.

    Args:
        path_sums: Pages, words and words of different texts of each segment's path;
            (3, n_segments).
        text_pages: Pages that have each segment's text.
        words: Words of each segment; int32.
        config: A `PlacesConfig`.
    """
    cdef Py_ssize_t segment, count = len(words)
    cdef const int64_t *path_pages = <const int64_t *>items(path_sums, 8)
    cdef const int64_t *path_words = path_pages + count
    cdef const int64_t *different_words = path_words + count
    cdef const int64_t *have = <const int64_t *>items(text_pages, 8)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef int64_t pages, same_pages_min = config.same_pages_min, pages_min = config.repeated_pages_min
    cdef double constancy_min = config.same_constancy_min, ratio_min = config.same_text_ratio_min
    cdef double repeats_min = config.rotation_repeats_min, constancy
    cdef int32_t words_min = config.rotation_words_min
    found = np.empty(count, np.bool_)
    cdef unsigned char *constant = <unsigned char *>items(found, 1, True)
    for segment in range(count):
        pages = path_pages[segment]
        # Words per page over words of different texts: 1 where it is always the same, 1 / pages where it never is.
        constancy = path_words[segment] / <double>max(pages * different_words[segment], 1)
        constant[segment] = (
            pages >= same_pages_min
            and constancy >= constancy_min
            and have[segment] >= ratio_min * pages
        ) or (
            length[segment] >= words_min
            and pages * constancy >= repeats_min
            and have[segment] >= pages_min
        )
    return found


def pooled_log_odds(totals, keys, words, mass, int64_t unit, double margin):
    """Return the log-odds for content of each segment's place, pooled over window and page.

    Args:
        totals: Words and content mass of each segment's place in the window; (2, n_segments). They
            are overwritten.
        keys: Key of each segment's place.
        words: Words of each segment; int32.
        mass: Content mass of each segment; int64.
        unit: Content mass of a word that is surely content.
        margin: Probabilities are kept this far from 0 and 1.
    """
    cdef Py_ssize_t segment, count = len(keys), first
    cdef int64_t *total_words = <int64_t *>items(totals, 8, True)
    cdef int64_t *total_mass = total_words + count
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const int64_t *own = <const int64_t *>items(mass, 8)
    cdef double probability
    firsts, result = _first_at_place(keys), np.empty(count)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    cdef double *log_odds = <double *>items(result, 8, True)
    for segment in range(count):
        first = first_of[segment]
        total_words[first] += length[segment]
        total_mass[first] += own[segment]
    for segment in range(count):
        first = first_of[segment]
        probability = total_mass[first] / (unit * <double>total_words[first])
        probability = min(max(probability, margin), 1 - margin)
        log_odds[segment] = log(probability / (1 - probability))
    return result


cdef object _first_at_place(keys):
    """Return the number of the first segment at the place of each segment; int32."""
    cdef Py_ssize_t segment, count = len(keys), slot, size = 16
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    while size < 2 * count:
        size *= 2
    leaders, firsts = np.empty(size, np.int32), np.empty(count, np.int32)
    cdef int32_t *leader = <int32_t *>items(leaders, 4, True)
    cdef int32_t *first_of = <int32_t *>items(firsts, 4, True)
    memset(leader, 0xFF, size * sizeof(int32_t))            # -1 marks a free slot.
    for segment in range(count):
        slot = <Py_ssize_t>(key[segment] & <uint64_t>(size - 1))
        while leader[slot] >= 0 and key[leader[slot]] != key[segment]:
            slot = (slot + 1) & (size - 1)
        if leader[slot] < 0:
            leader[slot] = <int32_t>segment
        first_of[segment] = leader[slot]
    return firsts


def links_again(path, words, recurrence, link_density, config, double most):
    """Return how sure it is that each segment is in a box of links that other pages have, too.

    It is the recurrence of the segment's path times the logarithm of the words that recur in lines of links at
    this path; 0 for other segments.

    Args:
        path: The path of each segment.
        words: Words of each segment; int32.
        recurrence: The recurrence of each segment's path.
        link_density: Share of each segment's characters in links.
        config: A `StringsConfig`.
        most: Words from which on more of them make nothing surer.
    """
    cdef Py_ssize_t segment, count = len(path)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const double *recurs = <const double *>items(recurrence, 8)
    cdef const double *density = <const double *>items(link_density, 8)
    cdef double least = config.link_words_min
    cdef double density_max = config.link_density_max
    firsts, masses, column = _first_at_place(path), np.zeros(count), np.zeros(count)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    cdef double *mass = <double *>items(masses, 8, True)
    cdef double *result = <double *>items(column, 8, True)
    for segment in range(count):
        if density[segment] >= density_max:
            mass[first_of[segment]] += length[segment] * recurs[segment]
    for segment in range(count):
        if density[segment] >= density_max and mass[first_of[segment]] > least:
            result[segment] = recurs[segment] * log(min(mass[first_of[segment]], most) / least)
    return column


def where_repeated(path, text):
    """Return whether the text of each segment stands more than once at its path."""
    firsts = _first_at_place(run_keys(path, text))
    return np.bincount(firsts)[firsts] > 1
