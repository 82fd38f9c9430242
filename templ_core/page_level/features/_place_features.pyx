"""Compiled loops of where a segment stands; see `templ_core.page_level.features.place_features`."""

from libc.math cimport log1p, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from templ_core._tag_numbers cimport number_tags

import numpy as np

from templ_core._arrays cimport items

# The columns of the features side by side; `place_features` reads their names off these lists.
cdef struct GroupColumns:
    float number
    float share
    float link_density
    float log_mean_words
    float sentence_ends
    float log_deviation

cdef struct CopyColumns:
    float copies
    float later_copy

cdef struct PositionColumns:
    float inside
    float levels
    float side

# Sums over the segments of a group.
cdef struct GroupSums:
    double segments, words, squared_words, linked_words, sentence_ends

cdef uint64_t PATH_FACTOR = 0x100000001B3


def group_columns():
    """Return the names of the columns that `fill_groups` fills, in their order."""
    cdef GroupColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def copy_columns():
    """Return the names of the columns that `fill_copies` fills, in their order."""
    cdef CopyColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def position_columns():
    """Return the names of the columns that `fill_position` fills, in their order."""
    cdef PositionColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def path_groups(document):
    """Return two groups of each segment: owners with equal paths of element types, and of tags."""
    nodes = document.nodes
    cdef const int *element_type = <const int *>items(nodes.element_type, 4)
    cdef const int *parent = <const int *>items(nodes.parent, 4)
    cdef const int *owner = <const int *>items(document.segments.owner, 4)
    cdef Py_ssize_t node, one_type
    cdef uint64_t styled_above, plain_above
    cdef dict numbers = {}
    cdef list types = nodes.element_types
    tag_column = np.empty(len(types), np.int32)
    cdef int *tag = <int *>items(tag_column, 4, True)
    for one_type in range(len(types)):
        tag[one_type] = numbers.setdefault((<tuple>types[one_type])[0], len(numbers))
    styled_column = np.empty(len(nodes.element_type), np.uint64)
    cdef uint64_t *styled = <uint64_t *>items(styled_column, 8, True)
    plain_column = np.empty(len(nodes.element_type), np.uint64)
    cdef uint64_t *plain = <uint64_t *>items(plain_column, 8, True)
    for node in range(len(nodes.element_type)):
        styled_above = styled[parent[node]] if parent[node] >= 0 else 0
        plain_above = plain[parent[node]] if parent[node] >= 0 else 0
        styled[node] = element_type[node] + 1 + styled_above * PATH_FACTOR
        plain[node] = tag[element_type[node]] + 1 + plain_above * PATH_FACTOR
    return _groups_of(styled, document.segments.owner), _groups_of(plain, document.segments.owner)


cdef object _groups_of(const uint64_t *paths, owners):
    cdef const int *owner = <const int *>items(owners, 4)
    cdef Py_ssize_t segment, count = len(owners)
    path_column, groups = np.empty(count, np.uint64), np.empty(count, np.int64)
    cdef uint64_t *path = <uint64_t *>items(path_column, 8, True)
    for segment in range(count):
        path[segment] = paths[owner[segment]]
    number_groups(path, count, <int64_t *>items(groups, 8, True))
    return groups


cdef Py_ssize_t number_groups(
    const uint64_t *values, Py_ssize_t count, int64_t *group
) except -1:
    """Number equal values alike, in order of first occurrence, and return how many differ."""
    cdef Py_ssize_t place, groups = 0
    cdef uint64_t mask = 3, slot
    while mask < <uint64_t>(2 * count):
        mask = 2 * mask + 1
    first_column = np.empty(mask + 1, np.int64)
    cdef int64_t *first = <int64_t *>items(first_column, 8, True)
    memset(first, 0xFF, (mask + 1) * sizeof(int64_t))       # -1: none yet
    for place in range(count):
        slot = (values[place] ^ values[place] >> 29) & mask
        while first[slot] >= 0 and values[first[slot]] != values[place]:
            slot = (slot + 1) & mask
        if first[slot] < 0:
            first[slot] = place
            group[place] = groups
            groups += 1
        else:
            group[place] = group[first[slot]]
    return groups


def fill_groups(group_column, words_column, density_column, ends_column, rows, int column):
    """Fill the columns of GroupColumns from `column` on, and return the next column."""
    cdef const int64_t *group = <const int64_t *>items(group_column, 8)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef const double *density = <const double *>items(density_column, 8)
    cdef const int64_t *ends = <const int64_t *>items(ends_column, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, number, count = len(group_column), groups = 0, width = rows.shape[1]
    cdef double total = 0, mean
    cdef GroupSums *sums
    cdef GroupColumns *cell
    for segment in range(count):
        groups = max(groups, group[segment] + 1)
        total += words[segment]
    sums_block = np.zeros(groups * sizeof(GroupSums), np.uint8)
    result_block = np.empty(groups * sizeof(GroupColumns), np.uint8)
    cdef GroupSums *sums_of = <GroupSums *>items(sums_block, 1, True)
    cdef GroupColumns *result = <GroupColumns *>items(result_block, 1, True)
    for segment in range(count):
        sums = &sums_of[group[segment]]
        sums.segments += 1
        sums.words += words[segment]
        sums.squared_words += words[segment] * words[segment]
        sums.linked_words += density[segment] * words[segment]
        sums.sentence_ends += ends[segment]
    for number in range(groups):
        sums, cell = &sums_of[number], &result[number]
        mean = sums.words / sums.segments
        cell.number = <float>log1p(sums.segments)
        cell.share = <float>(sums.words / total)
        cell.link_density = <float>(sums.linked_words / sums.words)
        cell.log_mean_words = <float>log1p(mean)
        cell.sentence_ends = <float>(sums.sentence_ends / sums.words)
        cell.log_deviation = <float>log1p(
            sqrt(max(sums.squared_words / sums.segments - mean * mean, 0.0))
        )
    for segment in range(count):
        memcpy(cells + segment * width, &result[group[segment]], sizeof(GroupColumns))
    return column + <int>(sizeof(GroupColumns) // sizeof(float))


def fill_copies(text_column, config, rows, int column):
    """Fill the columns of CopyColumns from `column` on, and return the next column."""
    cdef const uint64_t *text = <const uint64_t *>items(text_column, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(text_column), width = rows.shape[1]
    group_column = np.empty(count, np.int64)
    cdef int64_t *group = <int64_t *>items(group_column, 8, True)
    cdef int64_t copies_max = config.copies_max
    cdef CopyColumns *cell
    copies_column = np.zeros(number_groups(text, count, group), np.int64)
    cdef int64_t *copies = <int64_t *>items(copies_column, 8, True)
    for segment in range(count):
        cell = <CopyColumns *>(cells + segment * width)
        cell.later_copy = copies[group[segment]] > 0
        copies[group[segment]] += 1
    for segment in range(count):
        cell = <CopyColumns *>(cells + segment * width)
        cell.copies = min(copies[group[segment]], copies_max)
    return column + <int>(sizeof(CopyColumns) // sizeof(float))


def fill_main(tree, density_column, ends_column, config, rows, int column):
    """Fill the columns of MAIN_FEATURES from `column` on, and return the next column."""
    cdef const double *density = <const double *>items(density_column, 8)
    cdef const int64_t *ends = <const int64_t *>items(ends_column, 8)
    cdef const int64_t *first = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *last = <const int64_t *>items(tree.last, 8)
    cdef const int64_t *depth = <const int64_t *>items(tree.compressed_depth, 8)
    cdef const double *words = <const double *>items(tree.words, 8)
    cdef float *cells = <float *>items(rows, 4, True)
    cdef Py_ssize_t segment, count = len(tree.words), node, nodes = len(tree.first), main
    cdef Py_ssize_t width = rows.shape[1]
    cdef Py_ssize_t first_long = count, last_long = count
    cdef double share, part
    cdef double good_words = config.good_words_min, long_words = config.long_words_min
    cdef double good_words_without_end = config.good_words_without_end_min
    cdef double good_density = config.good_link_density_max
    cdef double long_density = config.long_link_density_max
    cdef bint is_good
    good_column = np.zeros(count + 1)
    cdef double *good = <double *>items(good_column, 8, True)
    before_column = np.zeros(count + 1)
    cdef double *before = <double *>items(before_column, 8, True)
    for segment in range(count):
        is_good = words[segment] >= good_words and density[segment] < good_density
        is_good = is_good and (ends[segment] > 0 or words[segment] >= good_words_without_end)
        good[segment + 1] = good[segment] + (words[segment] if is_good else 0)
        before[segment + 1] = before[segment] + words[segment]
        if words[segment] >= long_words and density[segment] < long_density:
            first_long = min(first_long, segment)
            last_long = segment
    if first_long == count:
        first_long = 0
    for share in config.main_shares:
        main = -1
        for node in range(nodes):
            if good[last[node]] - good[first[node]] >= share * good[count]:
                if main < 0 or depth[node] > depth[main]:
                    main = node
        column = fill_position(tree, main, rows, column)
        part = (before[last[main]] - before[first[main]]) / before[count]
        for segment in range(count):
            cells[segment * width + column] = <float>part
        column += 1
    for segment in range(count):
        cells[segment * width + column] = (segment >= first_long) + (segment > last_long)
    return column + 1


def fill_position(tree, Py_ssize_t node, rows, int column):
    """Fill the columns of PositionColumns relative to `node`, and return the next column."""
    cdef const int64_t *first = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *last = <const int64_t *>items(tree.last, 8)
    cdef const int64_t *up = <const int64_t *>items(tree.up, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef PositionColumns *cell
    cdef Py_ssize_t segment, count = len(rows), width = rows.shape[1]
    cdef Py_ssize_t low = first[node], high = last[node]
    cdef int level = 0
    for segment in range(count):
        cell = <PositionColumns *>(cells + segment * width)
        cell.inside = low <= segment < high
        cell.levels = 0
        cell.side = (segment >= high) - (segment < low)
    while up[node] != node:
        node = up[node]
        level += 1
        for segment in range(first[node], low):
            cell = <PositionColumns *>(cells + segment * width)
            cell.levels = level
        for segment in range(high, last[node]):
            cell = <PositionColumns *>(cells + segment * width)
            cell.levels = level
        low, high = first[node], last[node]
    return column + <int>(sizeof(PositionColumns) // sizeof(float))


def fill_tags(document, dict tags, config, rows, int column):
    """Fill the columns of TAG_FEATURES from `column` on, and return the next column.

    Args:
        document: The page.
        tags: Tags that have a column each, with their numbers from 0; `main` and `article` too.
        config: Says how far up the tags are looked for.
        rows: The feature matrix.
        column: First column to fill.
    """
    nodes = document.nodes
    cdef const int *element_type = <const int *>items(nodes.element_type, 4)
    cdef const int *parent = <const int *>items(nodes.parent, 4)
    cdef const int *owner = <const int *>items(document.segments.owner, 4)
    tag_column = np.empty(len(nodes.element_types), np.int32)
    cdef int *tag = <int *>items(tag_column, 4, True)
    inside_column = np.empty(len(nodes.element_type), np.uint32)
    cdef unsigned int *inside = <unsigned int *>items(inside_column, 4, True)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t node, segment, width = rows.shape[1]
    cdef unsigned int above, found, on_page = 0
    cdef int place, step, count = len(tags), main = tags["main"], article = tags["article"]
    cdef int farthest = config.tag_levels_max, no_such_tag = config.no_such_tag_levels
    cdef float *cell
    number_tags(nodes.element_types, tags, tag)
    for node in range(len(nodes.element_type)):
        place = tag[element_type[node]]
        above = inside[parent[node]] if parent[node] >= 0 else 0
        inside[node] = above | (<unsigned int>1 << place if place >= 0 else 0)
        on_page |= inside[node]
    for segment in range(len(document.segments.owner)):
        cell = cells + segment * width
        node = owner[segment]
        found = inside[node]
        for place in range(count):
            cell[place] = farthest if found >> place & 1 else no_such_tag
        cell[count] = found >> main & 1 if on_page >> main & 1 else -1
        cell[count + 1] = found >> article & 1 if on_page >> article & 1 else -1
        step = 0
        while step < farthest and found:
            place = tag[element_type[node]]
            if place >= 0 and found >> place & 1:
                cell[place] = step
                found &= ~(<unsigned int>1 << place)
            node = parent[node]
            step += 1
    return column + count + 2
