"""Computes the columns of the fusion and their weighed sum, and what is outside of containers, see `site_inputs.py` and `fusion.py`."""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.fusion import site_columns as names


cdef enum:
    COLUMNS = 10    # how many columns `combine` returns


cdef inline double within(double value, double low, double high) noexcept:
    return min(max(value, low), high)


cdef double *added(dict columns, str name, rows) except NULL:
    """Add the next of `rows` to the columns under a name, and return its first item."""
    columns[name] = row = next(rows)
    return <double *>items(row, 8, True)


def combine(evidence, config, double margin, double doubt_pages):
    """Return columns by name.

    Args:
        evidence: A `SegmentEvidence`.
        config: A `FusionConfig`.
        margin: Probabilities are kept this far from 0 and 1.
        doubt_pages: Pages after which the shape of a long text has half its weight.
    """
    places = evidence.places
    cdef Py_ssize_t count = len(evidence.words), segment
    cdef const double *page_log_odds = <const double *>items(evidence.content_log_odds, 8)
    cdef const double *content_around = <const double *>items(evidence.surroundings, 8)
    cdef const double *best_share = <const double *>items(evidence.best_share, 8)
    cdef const uint8_t *is_inside = <const uint8_t *>items(evidence.in_best, 1)
    cdef const uint8_t *is_label = <const uint8_t *>items(evidence.repeated, 1)
    cdef const int32_t *length = <const int32_t *>items(evidence.words, 4)
    cdef const double *place_log_odds = <const double *>items(evidence.place_log_odds, 8)
    cdef const uint8_t *is_known = <const uint8_t *>items(evidence.known, 1)
    cdef const uint8_t *is_constant = <const uint8_t *>items(places.constant, 1)
    cdef const int64_t *text_pages = <const int64_t *>items(places.text_pages, 8)
    cdef const int64_t *shape_pages = <const int64_t *>items(places.shape_pages, 8)
    cdef double documentation = evidence.documentation
    cdef int64_t pages = evidence.pages
    cdef double usual_distance = config.usual_distance, certain = config.certain_log_odds
    cdef int32_t length_max = config.length_words_max

    cdef dict columns = {}
    rows = iter(np.empty((COLUMNS, count)))
    cdef double *page = added(columns, names.PAGE, rows)
    cdef double *place = added(columns, names.PLACE, rows)
    cdef double *surroundings = added(columns, names.SURROUNDINGS, rows)
    cdef double *usual_best = added(columns, names.USUAL_BEST_CONTAINER, rows)
    cdef double *in_best = added(columns, names.IN_BEST_CONTAINER, rows)
    cdef double *same_shape = added(columns, names.SAME_SHAPE, rows)
    cdef double *long_same_shape = added(columns, names.LONG_SAME_SHAPE, rows)
    cdef double *trust = added(columns, names.TRUST, rows)
    cdef double *log_length = added(columns, names.LENGTH, rows)
    cdef double *recurs = added(columns, names.RECURS, rows)
    if len(columns) != COLUMNS:
        raise AssertionError("a row for each column")

    cdef double log_odds_max = log((1 - margin) / margin), most_usual = 0
    cdef double mass, known_mass = 0, all_mass = 0, own_value, place_value, probability, repeats
    for segment in range(count):
        most_usual = max(most_usual, best_share[segment])
        mass = length[segment] / (1 + exp(-page_log_odds[segment]))
        all_mass += mass
        if is_known[segment]:
            known_mass += mass
    for segment in range(count):
        own_value, place_value = page_log_odds[segment], place_log_odds[segment]
        page[segment] = within(own_value, -log_odds_max, log_odds_max)
        probability = within(content_around[segment], margin, 1 - margin)
        surroundings[segment] = log(probability / (1 - probability))
        usual_best[segment] = best_share[segment] - most_usual
        in_best[segment] = 0.5 if is_inside[segment] else -0.5
        # `repeats`: how far text that all pages have is meant to be repeated, 0 to 1.
        repeats = 0
        if is_label[segment] or usual_best[segment] > usual_distance and (
            own_value > certain or own_value > 0 and is_inside[segment]
        ):
            repeats = documentation
        place[segment] = place_value + (
            repeats * is_constant[segment] * max(own_value - place_value, 0.0)
        )
        log_length[segment] = log(<double>min(length[segment], length_max))
        same_shape[segment] = (1 - repeats) * shape_pages[segment] / <double>max(pages, 1)
        long_same_shape[segment] = (
            pages / (pages + doubt_pages) * same_shape[segment] * log_length[segment]
        )
        recurs[segment] = text_pages[segment] > 1
        trust[segment] = (
            1 if max(text_pages[segment], shape_pages[segment]) > 1 else known_mass / all_mass
        )
    return columns


def fused_log_odds(dict columns, dict terms, double bias):
    """Return the log-odds for content of each segment, by page and site; length n_segments.

    They are the bias and the sum over all terms of weight * (column, cut off at low and high).

    Args:
        columns: Columns of the page by name, with at least those of the terms.
        terms: The terms by the name of their input.
        bias: What is added to the sum of all terms.
    """
    cdef Py_ssize_t count = len(next(iter(columns.values()))), segment
    cdef double weight, low, high
    cdef const double *column
    log_odds = np.full(count, bias)
    cdef double *total = <double *>items(log_odds, 8, True)
    for name, term in terms.items():
        column = <const double *>items(columns[name], 8)
        weight, low, high = term.weight, term.low, term.high
        for segment in range(count):
            total[segment] += weight * within(column[segment], low, high)
    return log_odds


def outside_container(log_odds, dict columns, words, page_type, config):
    """Return which segments of an article or of documentation are left out; length n_segments.

    The cut maximises expected F1 as if segments were right or wrong one by one. Teasers, notes on authors and
    menus are right or wrong together, and where they are most of a page the cut falls so low that it takes
    them all.

    Text is outside if it is neither in the page's best container nor where best containers usually
    are. There it needs `config.outside_log_odds_min` to stay: on an article if it has some words, on
    documentation if other pages have it. Anywhere on an article, text is left out that is template rather
    than content. A page that may be a thread as well is no article here, because its posts are beside
    each other.

    Args:
        log_odds: Log-odds for content of each segment.
        columns: What the site says.
        words: Words of each segment.
        page_type: The type of the page.
        config: A `FusionConfig`.
    """
    cdef Py_ssize_t size = len(log_odds), segment
    cdef bint is_thread = page_type.forum > config.likely_type
    cdef bint is_article = page_type.article > config.likely_type and not is_thread
    cdef bint is_documentation = page_type.documentation > config.likely_type
    cdef double usual_distance = config.usual_distance
    cdef double log_odds_min = config.outside_log_odds_min, words_min = config.outside_words_min
    cdef const double *content = <const double *>items(log_odds, 8)
    cdef const double *inside = <const double *>items(columns[names.IN_BEST_CONTAINER], 8)
    cdef const double *usual = <const double *>items(columns[names.USUAL_BEST_CONTAINER], 8)
    cdef const double *recurs = <const double *>items(columns[names.RECURS], 8)
    cdef const double *number = <const double *>items(words, 8)
    result = np.zeros(size, np.bool_)
    cdef uint8_t *left_out = <uint8_t *>items(result, 1, True)
    cdef bint is_outside
    for segment in range(size):
        is_outside = (
            content[segment] < log_odds_min
            and inside[segment] < 0
            and usual[segment] < usual_distance
        )
        left_out[segment] = (
            is_article and (content[segment] < 0 or (is_outside and number[segment] >= words_min))
        ) or (is_documentation and is_outside and recurs[segment] > 0)
    return result
