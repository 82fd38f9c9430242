"""Names of places, their constancy and pooled log-odds, see `places.py`."""

from libc.math cimport exp, log, rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items
from templ_core._hashing cimport mix
from templ_core.site_level.places._element_types cimport CELL, CELLS, COLUMNS, IS_BLOCK, STEM, TAG
from templ_core.site_level._keyed_sums import sums_of

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


def name_places(element_types, element_type, parent, int positions_max):
    """Return path, cell and anchor of each node.

    Args:
        positions_max: Cells of one parent that have positions of their own, at most 255.
    """
    cdef Py_ssize_t count = len(element_type), node, above
    cdef const uint64_t *type_row = <const uint64_t *>items(element_types, 8)
    cdef const int32_t *type_of = <const int32_t *>items(element_type, 4)
    cdef const int32_t *parent_of = <const int32_t *>items(parent, 4)
    names = np.empty((3, count), np.uint64)
    cdef uint64_t *path = <uint64_t *>items(names, 8, True)
    cdef uint64_t *cell = path + count
    cdef uint64_t *anchor = cell + count
    cdef uint64_t stem, position
    cdef bint named
    cdef const uint64_t *row
    cdef uint8_t *before
    cdef uint8_t *seen = <uint8_t *>calloc((count + 1) * CELLS, 1)
    if seen == NULL:
        raise MemoryError
    for node in range(count):
        row = type_row + type_of[node] * COLUMNS
        stem, above, position = row[STEM], parent_of[node], 0
        if row[CELL]:
            before = seen + (above + 1) * CELLS + row[CELL]
            if before[0] < positions_max:
                before[0] += 1
                position = before[0] if stem == row[TAG] else 0
        named = stem != row[TAG] and row[IS_BLOCK]
        if above < 0:
            path[node] = mix(stem)
            cell[node] = mix(stem + position * FACTOR)
            anchor[node] = mix(stem if named else row[TAG])
        else:
            path[node] = mix(path[above] * FACTOR + stem)
            cell[node] = mix(cell[above] * FACTOR + stem + position * FACTOR)
            anchor[node] = mix(stem) if named else mix(anchor[above] * FACTOR + row[TAG])
    free(seen)
    return names[0], names[1], names[2]


def page_columns(nodes, owner, tree):
    """Return columns of a `PagePlaces` by name."""
    cdef Py_ssize_t count = len(owner), segment, name, node, elements = len(nodes.cell), filled = 0, before = -1
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef const uint64_t *cell = <const uint64_t *>items(nodes.cell, 8)
    cdef const double *words = <const double *>items(tree.words, 8)
    cdef const int64_t *start = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *end = <const int64_t *>items(tree.last, 8)
    cdef const uint64_t *known
    names, numbers = np.empty((3, count), np.uint64), np.empty(count, np.int32)
    cells, borders = np.empty(elements, np.uint64), np.empty((2, elements), np.int32)
    cdef uint64_t *own = <uint64_t *>items(names, 8, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    cdef uint64_t *container = <uint64_t *>items(cells, 8, True)
    cdef int32_t *first = <int32_t *>items(borders, 4, True)
    cdef int32_t *last = first + elements
    for name, column in enumerate((nodes.path, nodes.cell, nodes.anchor)):
        known = <const uint64_t *>items(column, 8)
        for segment in range(count):
            own[name * count + segment] = known[owner_of[segment]]
    for segment in range(count):
        number[segment] = <int32_t>words[segment]
    for node in range(elements):
        if end[node] <= start[node]:
            continue
        # Elements that hold the same segments follow each other, the deepest one last.
        if before < 0 or start[before] != start[node] or end[before] != end[node]:
            filled += 1
        container[filled - 1], first[filled - 1], last[filled - 1] = cell[node], <int32_t>start[node], <int32_t>end[node]
        before = node
    return {
        "path": names[0],
        "cell": names[1],
        "anchor": names[2],
        "words": numbers,
        "containers": cells[:filled].copy(),
        "first": borders[0, :filled].copy(),
        "last": borders[1, :filled].copy(),
    }


def constant_texts(path_sums, text_pages, words, config):
    """Return whether each segment is constant text at its path: the only one there, or one of a few in rotation.

    Args:
        path_sums: Pages, words and words of different texts of each segment's path;
            (3, n_segments).
    """
    cdef Py_ssize_t segment, count = len(words)
    cdef const int64_t *path_words = <const int64_t *>items(path_sums, 8) + count
    cdef const int64_t *different_words = path_words + count
    cdef const int64_t *have = <const int64_t *>items(text_pages, 8)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef int64_t pages_min = config.repeated_pages_min
    cdef double repeats
    cdef int32_t words_min = config.constant_words_min
    found = np.empty(count, np.bool_)
    cdef uint8_t *constant = <uint8_t *>items(found, 1, True)
    for segment in range(count):
        # All words over words of different texts: the pages of the path where it is always the same, 1 where it never is.
        repeats = path_words[segment] / <double>max(different_words[segment], 1)
        constant[segment] = (
            length[segment] >= words_min and repeats >= pages_min and have[segment] >= pages_min
        )
    return found


def pooled_content(table, page, content_log_odds, double documentation, int64_t unit, config):
    """Return what is pooled of the places of a page: mass, log-odds and probability of content, and what they rest on.

    That are the sums of the paths and texts of its segments, and whether each is constant; `unit` is the mass of a word
    of content, and `documentation` the share of the mass of constant text that counts.
    """
    page_words, paths, texts = page.words, _sums(table.paths, page.path), _sums(table.texts, page.text)
    constants = constant_texts(paths, texts, page_words, config)
    cdef Py_ssize_t segment, count = len(page_words)
    cdef const int32_t *length = <const int32_t *>items(page_words, 4)
    cdef const double *own = <const double *>items(content_log_odds, 8)
    cdef const uint8_t *constant = <const uint8_t *>items(constants, 1)
    cdef double margin = config.probability_margin
    masses, rows = np.empty(count, np.int64), np.zeros((2, count))
    cdef int64_t *mass = <int64_t *>items(masses, 8, True)
    cdef double *log_odds = <double *>items(rows, 8, True)
    cdef double *content = log_odds + count
    for segment in range(count):
        mass[segment] = <int64_t>rint(
            (documentation if constant[segment] else 1) * (unit * length[segment]) / (1 + exp(-own[segment]))
        )
    for known, keys in ((table.cells, page.cell), (table.anchors, page.anchor)):
        _add_log_odds(_sums(known, keys), keys, length, mass, documentation, unit, margin, log_odds)
    for segment in range(count):
        log_odds[segment] /= 2
        content[segment] = 1 / (1 + exp(-log_odds[segment]))
    return masses, rows[0], rows[1], paths, texts, constants


def read_columns(table, page, content_log_odds, double documentation, int64_t unit, config):
    """Return the columns of a `PlaceReading` by name, see `read_places`; `unit` is the mass of a word of content."""
    mass, log_odds, content, paths, texts, constants = pooled_content(
        table, page, content_log_odds, documentation, unit, config
    )
    cdef Py_ssize_t segment, count = len(constants)
    cdef const int64_t *pages = <const int64_t *>items(paths, 8)
    cdef const int64_t *words = pages + count
    cdef const int64_t *different_words = words + count
    cdef double window_pages = max(table.pages, 1), again
    cdef bint are_known = True
    column = np.zeros(count)
    cdef double *recurrence = <double *>items(column, 8, True)
    for segment in range(count):
        are_known = are_known and pages[segment] > 0
        if pages[segment] > 1 and words[segment] > 0:
            again = 1 - different_words[segment] / <double>words[segment]
            again = min(again * pages[segment] / (pages[segment] - 1), 1.0)
            recurrence[segment] = again * pages[segment] / window_pages
    return {
        "are_known": are_known,
        "path_pages": paths[0],
        "constant": constants,
        "text_pages": texts[0],
        "shape_pages": _sums(table.shapes, page.shape)[0],
        "recurrence": column,
        "mass": mass,
        "log_odds": log_odds,
        "content": content,
    }


cdef object _sums(known, keys):
    """Return the sums of some keys, as `KeyedSums.of` does."""
    return sums_of(known.keys, known.sums, keys)


cdef int _add_log_odds(
    totals, keys, const int32_t *length, const int64_t *mass, double documentation, int64_t unit, double margin,
    double *log_odds
) except -1:
    """Add the log-odds of each segment's place, with its words and mass in the window, which are overwritten."""
    cdef Py_ssize_t segment, count = len(keys), first
    cdef int64_t *total_words = <int64_t *>items(totals, 8, True)
    cdef int64_t *total_mass = total_words + count
    cdef const int64_t *constant_mass = total_mass + count
    cdef double probability
    firsts = _first_at_place(keys)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    for segment in range(count):
        first = first_of[segment]
        total_words[first] += length[segment]
        total_mass[first] += mass[segment]
    for segment in range(count):
        first = first_of[segment]
        probability = (total_mass[first] + documentation * constant_mass[first]) / (unit * <double>total_words[first])
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


def links_again(path, words, recurrence, link_density, double density_min, double least, double most):
    """Return how sure it is that each segment is in a box of links that other pages have, too.

    It is the recurrence of the segment's path times the logarithm of the words that recur in lines of links at
    this path; 0 for other segments.

    Args:
        density_min: Share of a segment's characters in links from which on it is a line of links.
        least: Recurring words up to which they say nothing.
        most: Words from which on more of them make nothing surer.
    """
    cdef Py_ssize_t segment, count = len(path)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const double *recurs = <const double *>items(recurrence, 8)
    cdef const double *density = <const double *>items(link_density, 8)
    firsts, masses, column = _first_at_place(path), np.zeros(count), np.zeros(count)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    cdef double *mass = <double *>items(masses, 8, True)
    cdef double *result = <double *>items(column, 8, True)
    for segment in range(count):
        if density[segment] >= density_min:
            mass[first_of[segment]] += length[segment] * recurs[segment]
    for segment in range(count):
        if density[segment] >= density_min and mass[first_of[segment]] > least:
            result[segment] = recurs[segment] * log(min(mass[first_of[segment]], most) / least)
    return column


def where_repeated(path, text):
    """Return whether the text of each segment stands more than once at its path."""
    cdef Py_ssize_t segment, count = len(path)
    cdef const uint64_t *path_of = <const uint64_t *>items(path, 8)
    cdef const uint64_t *text_of = <const uint64_t *>items(text, 8)
    keys, found = np.empty(count, np.uint64), np.zeros(count, np.bool_)
    cdef uint64_t *key = <uint64_t *>items(keys, 8, True)
    for segment in range(count):
        key[segment] = path_of[segment] * FACTOR + text_of[segment]
    firsts = _first_at_place(keys)
    cdef const int32_t *first_of = <const int32_t *>items(firsts, 4)
    cdef uint8_t *repeated = <uint8_t *>items(found, 1, True)
    for segment in range(count):
        if first_of[segment] < segment:
            repeated[segment] = repeated[first_of[segment]] = True
    return found
