"""Constancy and pooled log-odds of places, see `templ_core.site_level.places.place_log_odds`."""

from libc.math cimport exp, log, rint
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level._hashing cimport mixed


cdef struct Rule:
    # What makes a text constant; the fields are those of `PlacesConfig`.
    int64_t same_pages_min
    double same_constancy_min
    double same_text_ratio_min
    double rotation_repeats_min
    int64_t rotation_text_pages_min
    int32_t rotation_words_min


cdef int read_rule(config, Rule *rule) except -1:
    rule.same_pages_min = config.same_pages_min
    rule.same_constancy_min = config.same_constancy_min
    rule.same_text_ratio_min = config.same_text_ratio_min
    rule.rotation_repeats_min = config.rotation_repeats_min
    rule.rotation_text_pages_min = config.rotation_text_pages_min
    rule.rotation_words_min = config.rotation_words_min
    return 0


cdef inline double constancy_of(int64_t pages, int64_t words, int64_t different_words) noexcept:
    """Return words per page over words of different texts.

    It is 1 where the text is always the same, and 1 / pages where it never is.
    """
    return words / <double>max(pages * different_words, 1)


cdef inline bint is_constant(
    int64_t pages, double constancy, int64_t have, int32_t words, const Rule *rule
) noexcept:
    """Return whether a text is nearly the same on all pages, or one of a few in rotation."""
    return (
        pages >= rule.same_pages_min
        and constancy >= rule.same_constancy_min
        and have >= rule.same_text_ratio_min * pages
    ) or (
        words >= rule.rotation_words_min
        and pages * constancy >= rule.rotation_repeats_min
        and have >= rule.rotation_text_pages_min
    )


def constant_texts(path_sums, text_pages, words, config):
    """Return whether each segment is constant text at its path.

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
    cdef Rule rule
    cdef double constancy
    read_rule(config, &rule)
    found = np.empty(count, np.bool_)
    cdef unsigned char *constant = <unsigned char *>items(found, 1, True)
    for segment in range(count):
        constancy = constancy_of(path_pages[segment], path_words[segment], different_words[segment])
        constant[segment] = is_constant(
            path_pages[segment], constancy, have[segment], length[segment], &rule
        )
    return found


def read_places(table, page, content_log_odds, int64_t unit, config):
    """Return the columns of a `PlaceReading` by name.

    Args:
        table: A `PlaceTable`.
        page: The `PagePlaces` of the page.
        content_log_odds: Log-odds for content of each segment.
        unit: Content mass of a word that is surely content.
        config: A `PlacesConfig`.
    """
    paths, texts, constants, masses, pooled = _read(table, page, content_log_odds, unit, config)
    return {
        "path_pages": paths[0],
        "constant": constants,
        "text_pages": texts[0],
        "shape_pages": table.shapes.of(page.shape)[0],
        "recurrence": _recurrences(paths, table.pages),
        "mass": masses,
        "log_odds": pooled,
        "content": _probabilities(pooled),
    }


def read_content(table, page, content_log_odds, int64_t unit, config):
    """Return the columns `content` and `mass` of `read_places`; the arguments are the same."""
    _, _, _, masses, pooled = _read(table, page, content_log_odds, unit, config)
    return _probabilities(pooled), masses


cdef object _recurrences(path_sums, int64_t window_pages):
    """Return the column `recurrence` of a `PlaceReading`."""
    cdef Py_ssize_t segment, count = path_sums.shape[1]
    cdef const int64_t *path_pages = <const int64_t *>items(path_sums, 8)
    cdef const int64_t *path_words = path_pages + count
    cdef const int64_t *different_words = path_words + count
    cdef double pages, again
    recurrences = np.zeros(count)
    cdef double *recurrence = <double *>items(recurrences, 8, True)
    for segment in range(count):
        pages = path_pages[segment]
        if pages < 2 or not path_words[segment]:
            continue
        again = (1 - different_words[segment] / <double>path_words[segment]) * pages / (pages - 1)
        recurrence[segment] = min(again, 1) * pages / window_pages
    return recurrences


cdef object _probabilities(pooled):
    """Return the probabilities of log-odds."""
    cdef Py_ssize_t segment, count = len(pooled)
    cdef const double *log_odds = <const double *>items(pooled, 8)
    contents = np.empty(count)
    cdef double *content = <double *>items(contents, 8, True)
    for segment in range(count):
        content[segment] = 1 / (1 + exp(-log_odds[segment]))
    return contents


cdef tuple _read(table, page, content_log_odds, int64_t unit, config):
    """Return the sums of each segment's path and text, which segments are constant, mass and log-odds.

    The arguments are those of `read_places`.
    """
    all_words = page.words
    cdef Py_ssize_t segment, count = len(all_words)
    cdef const int32_t *words = <const int32_t *>items(all_words, 4)
    cdef const double *own_log_odds = <const double *>items(content_log_odds, 8)
    cdef int64_t constant_mass = round(config.constant_probability * unit)
    cdef double margin = config.probability_margin
    cdef Rule rule
    read_rule(config, &rule)
    paths, texts = table.paths.of(page.path), table.texts.of(page.text)
    cdef const int64_t *path_pages = <const int64_t *>items(paths, 8)
    cdef const int64_t *path_words = path_pages + count
    cdef const int64_t *different_words = path_words + count
    cdef const int64_t *text_pages = <const int64_t *>items(texts, 8)
    masses = np.empty(count, np.int64)
    constants, pooled = np.empty(count, np.bool_), np.zeros(count)
    cdef double constancy
    cdef int64_t *mass = <int64_t *>items(masses, 8, True)
    cdef unsigned char *constant = <unsigned char *>items(constants, 1, True)
    cdef double *log_odds = <double *>items(pooled, 8, True)
    for segment in range(count):
        constancy = constancy_of(path_pages[segment], path_words[segment], different_words[segment])
        constant[segment] = is_constant(
            path_pages[segment], constancy, text_pages[segment], words[segment], &rule
        )
        if constant[segment]:
            mass[segment] = constant_mass * words[segment]
        else:
            mass[segment] = <int64_t>rint(
                <double>(unit * words[segment]) / (1 + exp(-own_log_odds[segment]))
            )
    for known, keys in ((table.cells, page.cell), (table.anchors, page.anchor)):
        add_log_odds(known.of(keys), keys, words, mass, unit, margin, log_odds)
    for segment in range(count):
        log_odds[segment] /= 2
    return paths, texts, constants, masses, pooled


cdef int add_log_odds(
    totals, keys, const int32_t *words, const int64_t *mass, int64_t unit, double margin,
    double *log_odds,
) except -1:
    """Add the log-odds for content of each segment's place, pooled over window and page.

    Args:
        totals: Words and content mass of each segment's place in the window; (2, n_segments). They
            are overwritten.
        keys: Key of each segment's place.
        words: Words of each segment.
        mass: Content mass of each segment.
        unit: Content mass of a word that is surely content.
        margin: Probabilities are kept this far from 0 and 1.
        log_odds: What the log-odds are added to.
    """
    cdef Py_ssize_t segment, count = len(keys), first
    cdef int64_t *total_words = <int64_t *>items(totals, 8, True)
    cdef int64_t *total_mass = total_words + count
    cdef double probability
    firsts = _first_at_place(keys)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    for segment in range(count):
        first = first_of[segment]
        total_words[first] += words[segment]
        total_mass[first] += mass[segment]
    for segment in range(count):
        first = first_of[segment]
        probability = total_mass[first] / (unit * <double>total_words[first])
        probability = min(max(probability, margin), 1 - margin)
        log_odds[segment] += log(probability / (1 - probability))
    return 0


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
