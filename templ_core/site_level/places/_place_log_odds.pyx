"""Constancy and pooled log-odds of places, see `templ_core.site_level.places.place_log_odds`."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed


def constant_texts(path_sums, text_pages, words, config):
    """Return the constancy of each segment's path, and whether its text is constant there.

    A text is constant if it is nearly the same on all pages, or one of a few in rotation.

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
    cdef const int64_t *pages_with = <const int64_t *>items(text_pages, 8)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef double unknown_constancy = config.unknown_constancy
    cdef int64_t same_pages_min = config.same_pages_min
    cdef double same_constancy_min = config.same_constancy_min
    cdef int64_t same_text_pages_min = config.same_text_pages_min
    cdef double same_text_ratio_min = config.same_text_ratio_min
    cdef int64_t rotation_pages_min = config.rotation_pages_min
    cdef double rotation_constancy_min = config.rotation_constancy_min
    cdef double rotation_repeats_min = config.rotation_repeats_min
    cdef int64_t rotation_text_pages_min = config.rotation_text_pages_min
    cdef double rotation_text_ratio_min = config.rotation_text_ratio_min
    cdef int32_t rotation_words_min = config.rotation_words_min
    cdef int64_t pages, have
    cdef double same
    constancies, constants = np.empty(count), np.empty(count, np.bool_)
    cdef double *constancy = <double *>items(constancies, 8, True)
    cdef unsigned char *is_constant = <unsigned char *>items(constants, 1, True)
    for segment in range(count):
        pages, have, same = path_pages[segment], pages_with[segment], unknown_constancy
        if pages >= 2:
            same = path_words[segment] / <double>max(pages * different_words[segment], 1)
        constancy[segment] = same
        is_constant[segment] = (
            pages >= same_pages_min
            and same >= same_constancy_min
            and have >= same_text_pages_min
            and have >= same_text_ratio_min * pages
        ) or (
            length[segment] >= rotation_words_min
            and pages >= rotation_pages_min
            and pages * same >= rotation_repeats_min
            and same >= rotation_constancy_min
            and have >= rotation_text_pages_min
            and have >= rotation_text_ratio_min * pages
        )
    return constancies, constants


def pooled_log_odds(known, keys, words, mass, int64_t unit, double margin):
    """Return the log-odds for content of each segment's place, pooled over window and page.

    Args:
        known: Words and content mass of each segment's place on other pages; (2, n_segments).
        keys: Key of each segment's place.
        words: Words of each segment; int32.
        mass: Content mass of each segment.
        unit: Content mass of a word that is surely content.
        margin: Probabilities are kept this far from 0 and 1.
    """
    cdef Py_ssize_t segment, count = len(keys), slot, first, size = 16
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *known_words = <const int64_t *>items(known, 8)
    cdef const int64_t *known_mass = known_words + count
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const int64_t *own_mass = <const int64_t *>items(mass, 8)
    cdef double probability
    while size < 2 * count:
        size *= 2
    # `leader` is a hash table of the first segment at each place; `first_of` names it for all others.
    leaders, firsts = np.empty(size, np.int32), np.empty(count, np.int32)
    totals, pooled = np.zeros((2, count), np.int64), np.empty(count)
    cdef int32_t *leader = <int32_t *>items(leaders, 4, True)
    cdef int32_t *first_of = <int32_t *>items(firsts, 4, True)
    cdef int64_t *total_words = <int64_t *>items(totals, 8, True)
    cdef int64_t *total_mass = total_words + count
    cdef double *log_odds = <double *>items(pooled, 8, True)
    memset(leader, 0xFF, size * sizeof(int32_t))            # -1 marks a free slot.
    for segment in range(count):
        slot = <Py_ssize_t>(key[segment] & <uint64_t>(size - 1))
        while leader[slot] >= 0 and key[leader[slot]] != key[segment]:
            slot = (slot + 1) & (size - 1)
        if leader[slot] < 0:
            leader[slot] = <int32_t>segment
            total_words[segment] = known_words[segment]
            total_mass[segment] = known_mass[segment]
        first = first_of[segment] = leader[slot]
        total_words[first] += length[segment]
        total_mass[first] += own_mass[segment]
    for segment in range(count):
        first = first_of[segment]
        probability = total_mass[first] / (unit * <double>total_words[first])
        probability = min(max(probability, margin), 1 - margin)
        log_odds[segment] = log(probability / (1 - probability))
    return pooled


def where_repeated(path, text):
    """Return whether the text of each segment stands more than once at its path."""
    cdef Py_ssize_t segment, count = len(path), slot, size = 16
    cdef const uint64_t *path_of = <const uint64_t *>items(path, 8)
    cdef const uint64_t *text_of = <const uint64_t *>items(text, 8)
    while size < 2 * count:
        size *= 2
    repeated, leaders = np.zeros(count, np.bool_), np.empty(size, np.int32)
    cdef unsigned char *result = <unsigned char *>items(repeated, 1, True)
    cdef int32_t *leader = <int32_t *>items(leaders, 4, True)
    memset(leader, 0xFF, size * sizeof(int32_t))            # -1 marks a free slot.
    for segment in range(count):
        slot = <Py_ssize_t>(mixed(path_of[segment] ^ mixed(text_of[segment])) & <uint64_t>(size - 1))
        while leader[slot] >= 0 and (
            path_of[leader[slot]] != path_of[segment] or text_of[leader[slot]] != text_of[segment]
        ):
            slot = (slot + 1) & (size - 1)
        if leader[slot] < 0:
            leader[slot] = <int32_t>segment
        else:
            result[segment] = result[leader[slot]] = True
    return repeated
