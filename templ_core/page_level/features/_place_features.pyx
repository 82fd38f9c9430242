"""Features of where a segment stands, see `templ_core.page_level.features.place_features`."""

from libc.math cimport log1p, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from templ_core._tag_numbers cimport number_tags

import numpy as np

from templ_core._arrays cimport items

cdef enum:
    COPIES_MAX = 10

cdef uint64_t PATH_FACTOR = 0x100000001B3
cdef double FREE_OF_LINKS = 0.35, NEARLY_FREE_OF_LINKS = 0.4


def path_groups(document):
    """Groups of segments by their owners' paths: of tags with attributes, and of tags alone."""
    nodes = document.nodes
    cdef const int *element_type = <const int *>items(nodes.element_type, 4)
    cdef const int *parent = <const int *>items(nodes.parent, 4)
    cdef const int *owner = <const int *>items(document.segments.owner, 4)
    cdef Py_ssize_t node, segment
    cdef uint64_t styled_above, plain_above
    cdef dict numbers = {}
    tag_column = np.empty(len(nodes.element_types), np.int32)
    cdef int *tag = <int *>items(tag_column, 4, True)
    for name, _ in nodes.element_types:
        numbers.setdefault(name, len(numbers))
    number_tags(nodes.element_types, numbers, tag)
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
    """Numbers equal values alike, in order of their first; how many different there are."""
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
    """Columns of GROUP_FEATURES; the next column."""
    cdef const int64_t *group = <const int64_t *>items(group_column, 8)
    cdef const double *words = <const double *>items(words_column, 8)
    cdef const double *density = <const double *>items(density_column, 8)
    cdef const int64_t *ends = <const int64_t *>items(ends_column, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(group_column), groups = 0, width = rows.shape[1]
    cdef double total = 0, mean
    cdef double *sums
    cdef float *cell
    for segment in range(count):
        groups = max(groups, group[segment] + 1)
        total += words[segment]
    sums_column, result_column = np.zeros(5 * groups), np.empty(6 * groups, np.float32)
    cdef double *of_group = <double *>items(sums_column, 8, True)
    cdef float *result = <float *>items(result_column, 4, True)
    for segment in range(count):
        sums = of_group + 5 * group[segment]
        sums[0] += 1
        sums[1] += words[segment]
        sums[2] += words[segment] * words[segment]
        sums[3] += density[segment] * words[segment]
        sums[4] += ends[segment]
    for segment in range(groups):
        sums, cell = of_group + 5 * segment, result + 6 * segment
        mean = sums[1] / sums[0]
        cell[0] = <float>log1p(sums[0])
        cell[1] = <float>(sums[1] / total)
        cell[2] = <float>(sums[3] / sums[1])
        cell[3] = <float>log1p(mean)
        cell[4] = <float>(sums[4] / sums[1])
        cell[5] = <float>log1p(sqrt(max(sums[2] / sums[0] - mean * mean, 0.0)))
    for segment in range(count):
        memcpy(cells + segment * width, result + 6 * group[segment], 6 * sizeof(float))
    return column + 6


def fill_copies(text_column, rows, int column):
    """Columns of COPY_FEATURES; the next column."""
    cdef const uint64_t *text = <const uint64_t *>items(text_column, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(text_column), width = rows.shape[1]
    group_column = np.empty(count, np.int64)
    cdef int64_t *group = <int64_t *>items(group_column, 8, True)
    copies_column = np.zeros(number_groups(text, count, group), np.int64)
    cdef int64_t *copies = <int64_t *>items(copies_column, 8, True)
    for segment in range(count):
        cells[segment * width + 1] = copies[group[segment]] > 0
        copies[group[segment]] += 1
    for segment in range(count):
        cells[segment * width] = min(copies[group[segment]], COPIES_MAX)
    return column + 2


def fill_main(tree, density_column, ends_column, tuple shares, rows, int column):
    """Columns of MAIN_FEATURES; the next column."""
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
    cdef bint reads_well
    good_column = np.zeros(count + 1)
    cdef double *good = <double *>items(good_column, 8, True)
    before_column = np.zeros(count + 1)
    cdef double *before = <double *>items(before_column, 8, True)
    for segment in range(count):
        reads_well = words[segment] >= 10 and density[segment] < FREE_OF_LINKS
        reads_well = reads_well and (ends[segment] > 0 or words[segment] >= 25)
        good[segment + 1] = good[segment] + (words[segment] if reads_well else 0)
        before[segment + 1] = before[segment] + words[segment]
        if words[segment] >= 20 and density[segment] < NEARLY_FREE_OF_LINKS:
            first_long = min(first_long, segment)
            last_long = segment
    if first_long == count:
        first_long = 0
    for share in shares:
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
    """Columns of POSITION_FEATURES, relative to `node`; the next column."""
    cdef const int64_t *first = <const int64_t *>items(tree.first, 8)
    cdef const int64_t *last = <const int64_t *>items(tree.last, 8)
    cdef const int64_t *up = <const int64_t *>items(tree.up, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef float *cell
    cdef Py_ssize_t segment, count = len(rows), width = rows.shape[1]
    cdef Py_ssize_t low = first[node], high = last[node]
    cdef int level = 0
    for segment in range(count):
        cell = cells + segment * width
        cell[0] = low <= segment < high
        cell[1] = 0
        cell[2] = (segment >= high) - (segment < low)
    while up[node] != node:
        node = up[node]
        level += 1
        for segment in range(first[node], low):
            cells[segment * width + 1] = level
        for segment in range(high, last[node]):
            cells[segment * width + 1] = level
        low, high = first[node], last[node]
    return column + 3


def fill_tags(document, dict tags, int farthest, int no_such_tag, rows, int column):
    """Columns of TAG_FEATURES; the next column."""
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
