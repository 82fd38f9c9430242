"""Compiled loops over what a page declares; see `DECLARED_FEATURES` of `place_features.py`."""

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from templ_core._arrays cimport items

import numpy as np

from templ_core.dom.parse.declared_body import INSIDE_BODY, NO_BODY
from templ_core.page_level.features.surroundings import HEADING

# The columns of the features side by side; `place_features` reads their names off this list.
cdef struct DeclaredColumns:
    float inside
    float body_share
    float title_share
    float from_headline

cdef int32_t NONE = NO_BODY, INSIDE = INSIDE_BODY


def declared_columns():
    """Return the names of the columns that `fill_declared` fills, in their order."""
    cdef DeclaredColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def fill_declared(declared_column, words, title, surroundings, config, rows, int column):
    """Fill the columns of DeclaredColumns from `column` on, and return the next column.

    Args:
        declared_column: `Segments.declared` of the page.
        words: The words of the page.
        title: Hashes of the different words of the page's title.
        surroundings: The bits of `read_surroundings`.
        config: Says what a headline is.
        rows: The feature matrix.
        column: First column to fill.
    """
    cdef const int32_t *declared = <const int32_t *>items(declared_column, 4)
    cdef const int64_t *per_segment = <const int64_t *>items(words.per_segment, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(declared_column), width = rows.shape[1]
    matches_column = _title_words(words, title)
    cdef const int64_t *matches = <const int64_t *>items(matches_column, 8)
    cdef Py_ssize_t headline = _headline(matches_column, words, title, surroundings, config)
    cdef int64_t inside = 0, total = 0, before_headline = 0, before = 0
    cdef DeclaredColumns *cell
    for segment in range(count):
        if segment == headline:
            before_headline = total
        total += per_segment[segment]
        if declared[segment] == INSIDE:
            inside += per_segment[segment]
    for segment in range(count):
        cell = <DeclaredColumns *>(cells + segment * width)
        cell.inside = 0
        if declared[segment] != NONE:
            cell.inside = 1 if declared[segment] == INSIDE else -1
        cell.body_share = <float>(<double>inside / max(total, 1))
        cell.title_share = <float>(<double>matches[segment] / max(per_segment[segment], 1))
        cell.from_headline = 0
        if headline >= 0 and segment != headline:
            cell.from_headline = <float>log1p(abs(before - before_headline))
            if segment < headline:
                cell.from_headline = -cell.from_headline
        before += per_segment[segment]
    return column + <int>(sizeof(DeclaredColumns) // sizeof(float))


cdef object _title_words(words, title_column):
    """Return how many words of each segment are in the title."""
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef const int64_t *segment = <const int64_t *>items(words.segment, 8)
    cdef const uint64_t *title = <const uint64_t *>items(title_column, 8)
    cdef Py_ssize_t word, place, size = len(title_column)
    cdef uint64_t low_bits = 0          # a bit for each value of six low bits in the title
    result = np.zeros(len(words.per_segment), np.int64)
    cdef int64_t *matches = <int64_t *>items(result, 8, True)
    for place in range(size):
        low_bits |= <uint64_t>1 << (title[place] & 63)
    for word in range(len(words.hashes)):
        if not low_bits >> (hashes[word] & 63) & 1:
            continue
        for place in range(size):
            if title[place] == hashes[word]:
                matches[segment[word]] += 1
                break
    return result


cdef Py_ssize_t _headline(matches_column, words, title, surroundings_column, config) except -2:
    """Return the segment that is most like the title, a heading if there is one; -1 if none is."""
    cdef const int64_t *matches = <const int64_t *>items(matches_column, 8)
    cdef const int64_t *per_segment = <const int64_t *>items(words.per_segment, 8)
    cdef const int32_t *surroundings = <const int32_t *>items(surroundings_column, 4)
    cdef Py_ssize_t segment, best = -1
    cdef int64_t title_words = len(title), words_max = config.headline_words_max
    cdef double share, most = 0, share_min = config.headline_title_ratio_min
    cdef int32_t heading = HEADING
    for segment in range(len(matches_column)):
        if not matches[segment] or per_segment[segment] > words_max:
            continue
        share = <double>matches[segment] / max(per_segment[segment], title_words)
        if share < share_min:
            continue
        share += 1 if surroundings[segment] & heading else 0
        if share > most:
            most, best = share, segment
    return best
