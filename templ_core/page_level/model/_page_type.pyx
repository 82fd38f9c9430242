"""Compiled sums for the type of a page; see `templ_core.page_level.model.page_type`."""

from libc.math cimport exp, log, log1p, rint, sqrt
from libc.stdint cimport int64_t

import numpy as np

from templ_core._arrays cimport items

from templ_core.page_level.config import FEATURE_CONFIG, MODEL_CONFIG

cdef enum:
    PAGE_TYPES_MAX = 8

cdef double WEIGHT = FEATURE_CONFIG.score_weight
cdef double CLIP = MODEL_CONFIG.clip_deviations
cdef double STEPS = 10.0 ** MODEL_CONFIG.decimals       # from one whole number to the next

# The statistics of the page as a whole; they follow the two means of each feature.
cdef struct WholePage:
    double log_content, log_words, content_share, mean_attribute, mean_text, log_segments


def page_statistics(rows, words_column, attribute_column, text_column):
    """Return the statistics of a page by which its type is found.

    Args:
        rows: The features of `read_features`; n_segments rows.
        words_column: Number of words of each segment, at least 1.
        attribute_column: Log-odds of the attribute scores; length n_segments.
        text_column: Log-odds of the text scores; length n_segments.

    Returns:
        The mean of each feature by content mass, then by words, then the six statistics of WholePage:
        the logarithms of the page's content mass and words, the share of content, the mean attribute and
        text scores by content mass, and the logarithm of the number of segments.
    """
    cdef Py_ssize_t size = len(rows), columns = rows.shape[1], row, column
    cdef const float *features = <const float *>items(rows, 4)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef const double *attribute = <const double *>items(attribute_column, 8)
    cdef const double *text = <const double *>items(text_column, 8)
    cdef double mass, content = 0, total = 0, attributes = 0, texts = 0
    result = np.zeros(2 * columns + sizeof(WholePage) // sizeof(double))
    cdef double *found = <double *>items(result, 8, True)
    cdef WholePage *page = <WholePage *>(found + 2 * columns)
    for row in range(size):
        mass = words[row] / (1 + exp(-WEIGHT * (attribute[row] + text[row])))
        content += mass
        total += words[row]
        attributes += mass * attribute[row]
        texts += mass * text[row]
        _add(found, found + columns, features + row * columns, mass, words[row], columns)
    for column in range(columns):
        found[column] /= content
        found[columns + column] /= total
    page.log_content, page.log_words = log1p(content), log1p(total)
    page.content_share = content / total
    page.mean_attribute, page.mean_text = attributes / content, texts / content
    page.log_segments = log(<double>size)
    return result


def page_type_shares(statistics_column, names_column, model):
    """Return the probability of each page type, rounded; see `PageTypeModel.page_type`."""
    cdef Py_ssize_t inputs = len(statistics_column), page_types = len(model.biases)
    cdef Py_ssize_t place, page_type
    cdef const double *statistics = <const double *>items(statistics_column, 8)
    cdef const float *mean = <const float *>items(model.mean, 4)
    cdef const float *scale = <const float *>items(model.scale, 4)
    cdef const float *weights = <const float *>items(model.weights, 4)
    cdef const float *biases = <const float *>items(model.biases, 4)
    cdef const int64_t *name = <const int64_t *>items(names_column, 8)
    cdef const signed char *name_weights = <const signed char *>items(model.names, 1)
    cdef Py_ssize_t names = len(names_column)
    cdef int[PAGE_TYPES_MAX] of_names
    cdef double[PAGE_TYPES_MAX] log_odds
    cdef double value, most, total = 0
    if not 0 < page_types <= PAGE_TYPES_MAX:
        raise ValueError(f"a regression of {page_types} page types")
    if len(model.mean) != inputs or len(model.weights) != inputs:
        raise ValueError("a regression over other statistics")
    for page_type in range(page_types):
        of_names[page_type] = 0
    for place in range(names):
        for page_type in range(page_types):
            of_names[page_type] += name_weights[name[place] * page_types + page_type]
    value = model.unit / sqrt(<double>max(names, 1))
    for page_type in range(page_types):
        log_odds[page_type] = of_names[page_type] * value
    for place in range(inputs):
        value = min(max((statistics[place] - mean[place]) * scale[place], -CLIP), CLIP)
        for page_type in range(page_types):
            log_odds[page_type] += value * weights[place * page_types + page_type]
    most = log_odds[0] + biases[0]
    for page_type in range(page_types):
        log_odds[page_type] += biases[page_type]
        most = max(most, log_odds[page_type])
    for page_type in range(page_types):
        log_odds[page_type] = exp(log_odds[page_type] - most)
        total += log_odds[page_type]
    return [rint(log_odds[page_type] / total * STEPS) / STEPS for page_type in range(page_types)]


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
