"""Compiled loop over the nodes of a page; see `text_tree.py`."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from templ_core._arrays cimport items


def text_tree(first_column, last_column, word_column):
    """Return the columns of `TextTree` by name.

    The stack holds the nodes around the next node or segment; a segment follows all that stands
    before it.
    """
    cdef Py_ssize_t nodes = len(first_column), segments = len(word_column), node, height = 0
    cdef const int64_t *first = <const int64_t *>items(first_column, 8)
    cdef const int64_t *last = <const int64_t *>items(last_column, 8)
    cdef const double *words = <const double *>items(word_column, 8)
    parent, leaf = np.empty(nodes + segments, np.int32), np.empty(segments, np.int32)
    before_column, inside = np.zeros(segments + 1), np.empty(nodes + segments)
    around_column, number_column = np.empty((2, nodes), np.int32)
    cdef int32_t *parent_of = <int32_t *>items(parent, 4, True)
    cdef int32_t *leaf_of = <int32_t *>items(leaf, 4, True)
    cdef int32_t *around = <int32_t *>items(around_column, 4, True)
    cdef int32_t *number = <int32_t *>items(number_column, 4, True)
    cdef double *before = <double *>items(before_column, 8, True)
    cdef double *words_inside = <double *>items(inside, 8, True)
    cdef Py_ssize_t size = 0, segment = 0, end
    for segment in range(segments):
        before[segment + 1] = before[segment] + words[segment]
    segment = 0
    for node in range(nodes + 1):
        end = segments if node == nodes else first[node]
        if node < nodes and last[node] - first[node] < 2:
            continue
        while segment < end:
            while height and last[around[height - 1]] <= segment:
                height -= 1
            parent_of[size] = number[height - 1] if height else -1
            words_inside[size], leaf_of[segment] = words[segment], size
            size += 1
            segment += 1
        if node == nodes:
            break
        while height and last[around[height - 1]] <= first[node]:
            height -= 1
        if height and first[around[height - 1]] == first[node] and last[around[height - 1]] == last[node]:
            continue
        parent_of[size] = number[height - 1] if height else -1
        words_inside[size] = before[last[node]] - before[first[node]]
        around[height], number[height] = node, size
        height += 1
        size += 1
    return dict(parent=parent[:size], leaf=leaf, words=inside[:size])


def smoothing_columns(leaf_column, word_column, templateness_column, double penalty):
    """Return the score, the weight and the penalty of each node; see `TextTree.smooth`."""
    cdef Py_ssize_t nodes = len(word_column), segments = len(leaf_column), node, segment
    cdef const int32_t *leaf = <const int32_t *>items(leaf_column, 4)
    cdef const double *words = <const double *>items(word_column, 8)
    cdef const double *templateness = <const double *>items(templateness_column, 8)
    scores, weights, penalties = np.zeros((3, nodes))
    cdef double *score = <double *>items(scores, 8, True)
    cdef double *weight = <double *>items(weights, 8, True)
    cdef double *penalty_of = <double *>items(penalties, 8, True)
    cdef double total = 0
    for segment in range(segments):
        node = leaf[segment]
        score[node], weight[node] = templateness[segment], sqrt(words[node])
        total += words[node]
    for node in range(nodes):
        penalty_of[node] = penalty * total / words[node]
    return scores, weights, penalties


def of_segments(leaf_column, word_column, score_column, section_column):
    """Return the smoothed score of each segment, and the words of the section that it is in."""
    cdef Py_ssize_t segments = len(leaf_column), segment
    cdef const int32_t *leaf = <const int32_t *>items(leaf_column, 4)
    cdef const double *words = <const double *>items(word_column, 8)
    cdef const double *score = <const double *>items(score_column, 8)
    cdef const int32_t *section = <const int32_t *>items(section_column, 4)
    of_section, scores, section_words = np.zeros(len(score_column)), np.empty(segments), np.empty(segments)
    cdef double *inside = <double *>items(of_section, 8, True)
    cdef double *score_of = <double *>items(scores, 8, True)
    cdef double *words_of = <double *>items(section_words, 8, True)
    for segment in range(segments):
        inside[section[leaf[segment]]] += words[leaf[segment]]
    for segment in range(segments):
        score_of[segment] = score[leaf[segment]]
        words_of[segment] = inside[section[leaf[segment]]]
    return scores, section_words
