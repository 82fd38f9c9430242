"""What a window says about places; see place_table.py and place_log_odds.py."""

from libc.math cimport exp, log, rint
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed
from templ_core.site_level.places._lookup cimport find


cdef inline bint is_constant(int64_t pages, double constancy, int64_t have, int64_t words) noexcept:
    """Whether a text is constant: nearly the same everywhere, or one of a few in rotation."""
    return (
        pages >= 4 and constancy >= 0.5 and have >= 2 and have >= 0.3 * pages
    ) or (
        words >= 4 and pages >= 8 and pages * constancy >= 5 and constancy >= 0.08
        and have >= 3 and have >= 0.05 * pages
    )


cdef inline double constancy_of(int64_t pages, int64_t words, int64_t different, double unknown) noexcept:
    return words / <double>max(pages * different, 1) if pages >= 2 else unknown


def constant_texts(const int64_t[:, :] paths, const int64_t[:] text_pages, const int64_t[:] words, double unknown):
    """Which segments are constant text at their path."""
    cdef Py_ssize_t segment
    cdef double constancy
    found = np.empty(words.shape[0], np.bool_)
    cdef unsigned char[::1] constant = found.view(np.uint8)
    for segment in range(words.shape[0]):
        constancy = constancy_of(paths[0, segment], paths[1, segment], paths[2, segment], unknown)
        constant[segment] = is_constant(
            paths[0, segment], constancy, text_pages[segment], words[segment]
        )
    return found


def read_places(
    path_table, text_table, shape_table, cell_table, anchor_table,
    path, text, shape, cell, anchor, words, content_log_odds,
    int64_t unit, int64_t template_mass, double unknown, double margin,
):
    """What place_log_odds.read_places finds.

    Args:
        path_table: Keys and sums, as the four behind it.
        path: Of each segment, as the four behind it.
        words: Of each segment; int32.
        content_log_odds: Of each segment.
        unit: Of content mass.
        template_mass: Content mass of a word of constant text.
        unknown: Constancy of places on fewer than two pages.
        margin: Probabilities are kept this far from 0 and 1.
    """
    cdef Py_ssize_t segment, count = len(words)
    cdef const int32_t *words_of = <const int32_t *>items(words, 4)
    cdef const double *log_odds_of = <const double *>items(content_log_odds, 8)
    paths, texts = sums_at(path_table, path, 3), sums_at(text_table, text, 1)
    shapes, masses = sums_at(shape_table, shape, 1), np.empty(count, np.int64)
    cdef const int64_t *known = <const int64_t *>items(paths, 8)
    cdef const int64_t *text_pages = <const int64_t *>items(texts, 8)
    cdef int64_t *mass = <int64_t *>items(masses, 8, True)
    columns, constants = np.zeros((3, count)), np.empty(count, np.bool_)
    cdef double *constancy = <double *>items(columns, 8, True)
    cdef unsigned char *constant = <unsigned char *>items(constants, 1, True)
    for segment in range(count):
        constancy[segment] = constancy_of(
            known[segment], known[count + segment], known[2 * count + segment], unknown
        )
        constant[segment] = is_constant(
            known[segment], constancy[segment], text_pages[segment], words_of[segment]
        )
        if constant[segment]:
            mass[segment] = template_mass * words_of[segment]
        else:
            mass[segment] = <int64_t>rint(
                <double>(unit * words_of[segment]) / (1 + exp(-log_odds_of[segment]))
            )
    add_log_odds(cell_table, cell, words_of, mass, unit, margin, constancy + count)
    add_log_odds(anchor_table, anchor, words_of, mass, unit, margin, constancy + count)
    for segment in range(count):
        constancy[2 * count + segment] = 1 / (1 + exp(-constancy[count + segment]))
    return paths[0], columns[0], constants, texts[0], shapes[0], columns[1], columns[2]


def where_repeated(path, text):
    """Whether the text of each segment stands more than once at its path."""
    cdef Py_ssize_t segment, count = len(path), slot, size = 16
    cdef const uint64_t *path_of = <const uint64_t *>items(path, 8)
    cdef const uint64_t *text_of = <const uint64_t *>items(text, 8)
    while size < 2 * count:
        size *= 2
    repeated, leaders = np.zeros(count, np.bool_), np.empty(size, np.int32)
    cdef unsigned char *result = <unsigned char *>items(repeated, 1, True)
    cdef int32_t *leader = <int32_t *>items(leaders, 4, True)
    memset(leader, 0xFF, size * sizeof(int32_t))            # -1: none yet
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


cdef object sums_at(table, wanted, Py_ssize_t rows):
    """The first sums of the wanted keys, 0 for those unknown; (rows, len(wanted))."""
    keys, sums = table
    cdef Py_ssize_t known = len(keys), count = len(wanted), row, place, number
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const uint64_t *asked = <const uint64_t *>items(wanted, 8)
    cdef const int64_t *sum_of = <const int64_t *>items(sums, 8)
    found = np.zeros((rows, count), np.int64)
    cdef int64_t *result = <int64_t *>items(found, 8, True)
    for number in range(count):
        place = find(key, known, asked[number])
        if place < known and key[place] == asked[number]:
            for row in range(rows):
                result[row * count + number] = sum_of[row * known + place]
    return found


cdef int add_log_odds(
    table, wanted, const int32_t *words, const int64_t *mass, int64_t unit, double margin,
    double *log_odds,
) except -1:
    """Add half the log-odds for content of each segment's place, pooled over window and page."""
    cdef Py_ssize_t segment, count = len(wanted), slot, first, size = 16
    cdef const uint64_t *asked = <const uint64_t *>items(wanted, 8)
    cdef double probability
    while size < 2 * count:
        size *= 2
    totals = sums_at(table, wanted, 2)
    groups, leaders = np.empty(size, np.int32), np.empty(count, np.int32)
    cdef int64_t *total = <int64_t *>items(totals, 8, True)
    cdef int32_t *group = <int32_t *>items(groups, 4, True)
    cdef int32_t *leader = <int32_t *>items(leaders, 4, True)
    memset(group, 0xFF, size * sizeof(int32_t))             # -1: none yet
    for segment in range(count):
        slot = <Py_ssize_t>(asked[segment] & <uint64_t>(size - 1))
        while group[slot] >= 0 and asked[group[slot]] != asked[segment]:
            slot = (slot + 1) & (size - 1)
        if group[slot] < 0:
            group[slot] = <int32_t>segment
        first = leader[segment] = group[slot]
        total[first] += words[segment]
        total[count + first] += mass[segment]
    for segment in range(count):
        first = leader[segment]
        probability = total[count + first] / (unit * <double>total[first])
        probability = min(max(probability, margin), 1 - margin)
        log_odds[segment] += log(probability / (1 - probability)) / 2
    return 0
