"""What tells a page's page_type, see `templ_core.page_level.model.page_type`."""

from libc.math cimport exp, log, log1p, rint

import numpy as np

from templ_core._arrays cimport items

cdef enum:
    OF_PAGE = 6             # statistics that are no means of features
    KINDS_MAX = 8


def page_statistics(rows, words_column, attribute_column, text_column, double weight):
    """Means of features by content and by words, then six sums of the page."""
    cdef Py_ssize_t size = len(rows), columns = rows.shape[1], row, column
    cdef const float *features = <const float *>items(rows, 4)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef const double *attribute = <const double *>items(attribute_column, 8)
    cdef const double *text = <const double *>items(text_column, 8)
    cdef double mass, content = 0, total = 0, attributes = 0, texts = 0
    result = np.zeros(2 * columns + OF_PAGE)
    cdef double *found = <double *>items(result, 8, True)
    cdef double *page = found + 2 * columns
    for row in range(size):
        mass = words[row] / (1 + exp(-weight * (attribute[row] + text[row])))
        content += mass
        total += words[row]
        attributes += mass * attribute[row]
        texts += mass * text[row]
        _add(found, found + columns, features + row * columns, mass, words[row], columns)
    for column in range(columns):
        found[column] /= content
        found[columns + column] /= total
    page[0], page[1], page[2] = log1p(content), log1p(total), content / total
    page[3], page[4], page[5] = attributes / content, texts / content, log(<double>size)
    return result


def page_type_shares(
    statistics_column, mean_column, scale_column, weight_rows, bias_column,
    double clip, int decimals,
):
    """Probability of each page_type, rounded."""
    cdef Py_ssize_t inputs = len(statistics_column), page_types = len(bias_column), place, page_type
    cdef const double *statistics = <const double *>items(statistics_column, 8)
    cdef const float *mean = <const float *>items(mean_column, 4)
    cdef const float *scale = <const float *>items(scale_column, 4)
    cdef const float *weights = <const float *>items(weight_rows, 4)
    cdef const float *biases = <const float *>items(bias_column, 4)
    cdef double[KINDS_MAX] log_odds
    cdef double value, most, total = 0, unit = 10.0 ** decimals
    if not 0 < page_types <= KINDS_MAX or len(mean_column) != inputs or len(weight_rows) != inputs:
        raise ValueError("page_types by other statistics")
    for page_type in range(page_types):
        log_odds[page_type] = 0
    for place in range(inputs):
        value = min(max((statistics[place] - mean[place]) * scale[place], -clip), clip)
        for page_type in range(page_types):
            log_odds[page_type] += value * weights[place * page_types + page_type]
    most = log_odds[0] + biases[0]
    for page_type in range(page_types):
        log_odds[page_type] += biases[page_type]
        most = max(most, log_odds[page_type])
    for page_type in range(page_types):
        log_odds[page_type] = exp(log_odds[page_type] - most)
        total += log_odds[page_type]
    return [rint(log_odds[page_type] / total * unit) / unit for page_type in range(page_types)]


cdef extern from *:
    """
    static void templ_add(double *CYTHON_RESTRICT by_mass, double *CYTHON_RESTRICT by_words,
                          const float *CYTHON_RESTRICT row, double mass, double words, long columns)
    {
        for (long column = 0; column < columns; column++) {
            by_mass[column] += mass * row[column];
            by_words[column] += words * row[column];
        }
    }
    """
    void _add "templ_add"(
        double *by_mass, double *by_words, const float *row, double mass, double words, long columns
    ) noexcept
