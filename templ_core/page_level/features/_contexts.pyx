"""What the hashed scores of other segments say, see `templ_core.page_level.features.contexts`."""

from libc.math cimport exp, log
from libc.stdint cimport int64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level.features._place_features import fill_position

# Sums of segments.
cdef enum:
    PLAIN, MASS, ATTRIBUTE, TEXT, WORDS, NUMBER, SUMS

# Where the columns of CONTEXTS begin.
cdef enum:
    SCORES = 0
    PAGE = 2
    PATH_MEAN = 8
    LEVEL_MEANS = 9
    PLAIN_PATH_MEAN = 15
    PLAIN_LEVEL_MEANS = 16
    NEIGHBOUR_SCORES = 19
    WINDOW_MEANS = 25
    MASS_AROUND = 31
    LEVEL_MASS = 33
    BEST_SUBTREE = 36
    OF_ATTRIBUTE = 40
    OF_TEXT = 45
    ALL = 50

cdef enum:
    NEIGHBOURS = 3
    WINDOWS = 3
    LEVELS = 6              # L1 to L5, then T

cdef int[WINDOWS] WINDOW = [4, 10, 25]
cdef double EDGE = 1e-6     # of the cut, from 0 and from 1


def first_guess(attribute_column, text_column, double weight):
    """sigmoid(weight * (attribute + text)) of each segment."""
    cdef Py_ssize_t segment, size = len(text_column)
    cdef const double *attribute = <const double *>items(attribute_column, 8)
    cdef const double *text = <const double *>items(text_column, 8)
    result = np.empty(size)
    cdef double *guess = <double *>items(result, 8, True)
    for segment in range(size):
        guess[segment] = 1 / (1 + exp(-weight * (attribute[segment] + text[segment])))
    return result


def fill_contexts(
    tree, group_column, attribute_column, text_column, p0_column, order_column,
    double weight, double recall_share, rows, int column,
):
    """Columns of CONTEXTS; `order` has the segments by falling p0."""
    cdef Py_ssize_t segment, size = len(p0_column), node, nodes = len(tree.first), level, best = 0
    cdef Py_ssize_t width = rows.shape[1]
    cdef const int64_t *group = <const int64_t *>items(group_column, 8)
    cdef const double *attribute = <const double *>items(attribute_column, 8)
    cdef const double *text = <const double *>items(text_column, 8)
    cdef const double *p0 = <const double *>items(p0_column, 8)
    cdef const Py_ssize_t *order = <const Py_ssize_t *>items(order_column, sizeof(Py_ssize_t))
    cdef const double *words = <const double *>items(tree.words, 8)
    cdef const int64_t *above = <const int64_t *>items(tree.above, 8)
    cdef const int64_t *first = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *last = <const int64_t *>items(tree.last, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef int64_t groups = 0
    cdef int one
    for segment in range(size):
        groups = max(groups, group[segment] + 1)
    before_column, in_group_column = np.zeros((size + 1) * SUMS), np.zeros(groups * SUMS)
    cdef double *before = <double *>items(before_column, 8, True)
    cdef double *in_group = <double *>items(in_group_column, 8, True)
    cdef const double *page = before + size * SUMS
    cdef const double *low
    cdef const double *high
    cdef double *sums
    cdef double inside[SUMS]
    cdef double cut = 0, edge, expected, most = 0, most_inside = 0, kept = 0, kept_words = 0
    cdef float *cell
    for segment in range(size):
        sums = before + (segment + 1) * SUMS
        sums[PLAIN] = p0[segment]
        sums[MASS] = p0[segment] * words[segment]
        sums[ATTRIBUTE] = attribute[segment] * words[segment]
        sums[TEXT] = text[segment] * words[segment]
        sums[WORDS] = words[segment]
        sums[NUMBER] = 1
        for one in range(SUMS):
            in_group[group[segment] * SUMS + one] += sums[one]
            sums[one] += before[segment * SUMS + one]
    for segment in range(size):
        node = order[segment]
        kept += p0[node] * words[node]
        kept_words += words[node]
        expected = 2 * kept / (kept_words + recall_share * page[MASS] + 1e-9)
        if expected > most:
            most, cut = expected, p0[node]
        cells[node * width + PAGE + 5] = <float>(<double>segment / size)
    edge = min(max(cut, EDGE), 1 - EDGE)
    edge = log(edge / (1 - edge))
    for node in range(nodes):
        low, high = before + first[node] * SUMS, before + last[node] * SUMS
        expected = 2 * (high[MASS] - low[MASS]) / (high[WORDS] - low[WORDS] + page[MASS])
        if expected > most_inside:
            most_inside, best = expected, node
    fill_position(tree, best, rows, column + BEST_SUBTREE)
    for segment in range(size):
        cell = cells + segment * width
        cell[SCORES], cell[SCORES + 1] = <float>attribute[segment], <float>text[segment]
        cell[PAGE] = <float>p0[segment]
        cell[PAGE + 1] = <float>(weight * (attribute[segment] + text[segment]) - edge)
        cell[PAGE + 2], cell[PAGE + 3] = <float>most, <float>cut
        cell[PAGE + 4] = <float>(page[MASS] / page[WORDS])
        cell[BEST_SUBTREE + 3] = <float>(most_inside / most)
        sums = in_group + group[segment] * SUMS
        cell[PATH_MEAN] = <float>(sums[MASS] / sums[WORDS])
        cell[PLAIN_PATH_MEAN] = <float>(sums[PLAIN] / sums[NUMBER])
        cell[OF_ATTRIBUTE] = <float>(sums[ATTRIBUTE] / sums[WORDS])
        cell[OF_TEXT] = <float>(sums[TEXT] / sums[WORDS])
        cell[OF_ATTRIBUTE + 4] = <float>(page[ATTRIBUTE] / page[WORDS])
        cell[OF_TEXT + 4] = <float>(page[TEXT] / page[WORDS])
        for level in range(LEVELS):
            node = above[level * size + segment]
            low, high = before + first[node] * SUMS, before + last[node] * SUMS
            for one in range(SUMS):
                inside[one] = high[one] - low[one]
            cell[LEVEL_MEANS + level] = <float>(inside[MASS] / inside[WORDS])
            if 1 <= level <= 3:
                cell[PLAIN_LEVEL_MEANS + level - 1] = <float>(inside[PLAIN] / inside[NUMBER])
            if level % 2 == 0:
                cell[LEVEL_MASS + level // 2] = <float>(inside[MASS] / page[MASS])
            if level < 2 or level == LEVELS - 1:
                one = min(level, 2)
                cell[OF_ATTRIBUTE + 1 + one] = <float>(inside[ATTRIBUTE] / inside[WORDS])
                cell[OF_TEXT + 1 + one] = <float>(inside[TEXT] / inside[WORDS])
        _fill_order(before, p0, size, segment, cell)
    return column + ALL


cdef void _fill_order(
    const double *before, const double *p0, Py_ssize_t size, Py_ssize_t segment, float *cell
) noexcept:
    """p0 of the segments before and after."""
    cdef Py_ssize_t low, high
    cdef double total = before[size * SUMS + MASS]
    cdef int step
    for step in range(NEIGHBOURS):
        low, high = segment - step - 1, segment + step + 1
        cell[NEIGHBOUR_SCORES + 2 * step] = <float>p0[low] if low >= 0 else 0
        cell[NEIGHBOUR_SCORES + 2 * step + 1] = <float>p0[high] if high < size else 0
    for step in range(WINDOWS):
        low, high = max(segment - WINDOW[step], 0), min(segment + WINDOW[step] + 1, size)
        cell[WINDOW_MEANS + 2 * step] = _mean(before, low, segment)
        cell[WINDOW_MEANS + 2 * step + 1] = _mean(before, segment + 1, high)
    cell[MASS_AROUND] = <float>(before[segment * SUMS + MASS] / total)
    cell[MASS_AROUND + 1] = <float>(1 - before[(segment + 1) * SUMS + MASS] / total)


cdef inline float _mean(const double *before, Py_ssize_t low, Py_ssize_t high) noexcept:
    """Mean p0 of a range of segments by words; 0 of none."""
    cdef double mass = before[high * SUMS + MASS] - before[low * SUMS + MASS]
    cdef double words = before[high * SUMS + WORDS] - before[low * SUMS + WORDS]
    return <float>(mass / max(words, 1.0))
