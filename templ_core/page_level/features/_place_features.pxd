# Where a segment stands: among similar ones, around the main text, and under which tags.

from libc.math cimport log1p, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from templ_core.page_level._page_tree cimport Tree
from templ_core.page_level.features._page cimport MAIN_SHARES, Page, SEMANTIC_TAGS

# All segments of a group together: their number (as a logarithm), their share of the page's words, link
# density, words and sentence ends by word, and the standard deviation of their words.
cdef struct GroupColumns:
    float number
    float share
    float link_density
    float log_mean_words
    float sentence_ends
    float log_deviation

# How often a text stands on the page, and whether it has occurred before.
cdef struct CopyColumns:
    float copies
    float later_copy

# Inside a node (1) or not (0), the compressed levels from the node up to the common ancestor, and the
# side: before (-1), inside (0) or after it (1).
cdef struct PositionColumns:
    float inside
    float levels
    float side

# A main node is the deepest node with a certain share of the words in good segments.
cdef struct MainColumns:
    PositionColumns position
    float share                 # its share of all words

# "levels" counts the levels up to the nearest element of each tag, see `FeatureConfig.tag_levels_max`. The
# others are 1 inside and 0 outside of such an element, and -1 where the page has none.
cdef struct TagColumns:
    float[SEMANTIC_TAGS] levels
    float inside_main
    float inside_article

# Sums over the segments of a group.
cdef struct GroupSums:
    double segments, words, squared_words, linked_words, sentence_ends

# The main nodes, and the first and the last of the long segments, which have many words, few of them in links.
cdef struct MainNodes:
    Py_ssize_t[MAIN_SHARES] node
    Py_ssize_t first_long, last_long


cdef inline Py_ssize_t number_groups(
    const uint64_t *values, Py_ssize_t count, int64_t *group
) except -1:
    """Number equal values alike, in order of first occurrence, and return how many differ."""
    cdef Py_ssize_t place, groups = 0, first
    cdef uint64_t mask = 3, slot
    while mask < <uint64_t>(2 * count):
        mask = 2 * mask + 1
    cdef int *table = <int *>calloc(mask + 1, sizeof(int))      # place of the first value + 1; 0 = free
    if table == NULL:
        raise MemoryError
    for place in range(count):
        slot = (values[place] ^ values[place] >> 29) & mask
        while table[slot] and values[table[slot] - 1] != values[place]:
            slot = (slot + 1) & mask
        if not table[slot]:
            table[slot] = <int>place + 1
            group[place] = groups
            groups += 1
        else:
            group[place] = group[table[slot] - 1]
    free(table)
    return groups


cdef inline int sum_groups(
    const Page *page, const int64_t *group, Py_ssize_t groups, GroupColumns *columns
) except -1:
    """Fill in the columns of each group."""
    cdef const double *words = page.tree.words
    cdef GroupSums *sums_of = <GroupSums *>calloc(groups, sizeof(GroupSums))
    cdef GroupSums *sums
    cdef Py_ssize_t segment, number
    cdef double total = 0, mean
    if sums_of == NULL:
        raise MemoryError
    for segment in range(page.tree.segments):
        sums = &sums_of[group[segment]]
        total += words[segment]
        sums.segments += 1
        sums.words += words[segment]
        sums.squared_words += words[segment] * words[segment]
        sums.linked_words += page.density[segment] * words[segment]
        sums.sentence_ends += page.sentence_ends[segment]
    for number in range(groups):
        sums = &sums_of[number]
        mean = sums.words / sums.segments
        columns[number].number = <float>log1p(sums.segments)
        columns[number].share = <float>(sums.words / total)
        columns[number].link_density = <float>(sums.linked_words / sums.words)
        columns[number].log_mean_words = <float>log1p(mean)
        columns[number].sentence_ends = <float>(sums.sentence_ends / sums.words)
        columns[number].log_deviation = <float>log1p(
            sqrt(max(sums.squared_words / sums.segments - mean * mean, 0.0))
        )
    free(sums_of)
    return 0


cdef inline MainNodes main_nodes(const Page *page, double *good) noexcept:
    """Return the main nodes and the long segments.

    A segment is good when it reads like sentences.

    Args:
        page: The page.
        good: Room for n_segments + 1 numbers: the words of the good segments before each segment.
    """
    cdef const Tree *tree = &page.tree
    cdef MainNodes found
    cdef Py_ssize_t segment, node, share, main
    cdef double words, density
    cdef bint is_good
    found.first_long = found.last_long = tree.segments
    good[0] = 0
    for segment in range(tree.segments):
        words, density = tree.words[segment], page.density[segment]
        is_good = (
            words >= page.limits.good_words_min
            and density < page.limits.good_link_density_max
            and (page.sentence_ends[segment] > 0 or words >= page.limits.good_words_without_end_min)
        )
        good[segment + 1] = good[segment] + (words if is_good else 0)
        if words >= page.limits.long_words_min and density < page.limits.long_link_density_max:
            found.first_long = min(found.first_long, segment)
            found.last_long = segment
    if found.first_long == tree.segments:
        found.first_long = 0
    for share in range(MAIN_SHARES):
        main = -1
        for node in range(tree.nodes):
            if good[tree.last[node]] - good[tree.first[node]] < (
                page.limits.main_shares[share] * good[tree.segments]
            ):
                continue
            if main < 0 or tree.compressed_depth[node] > tree.compressed_depth[main]:
                main = node
        found.node[share] = main
    return found


cdef inline void fill_position(
    const Tree *tree, Py_ssize_t node, PositionColumns *first_cell, Py_ssize_t width
) noexcept:
    """Fill in the position of each segment relative to a node; rows are `width` numbers apart."""
    cdef PositionColumns *cell
    cdef Py_ssize_t segment, low = tree.first[node], high = tree.last[node]
    cdef int level = 0
    for segment in range(tree.segments):
        cell = <PositionColumns *>(<float *>first_cell + segment * width)
        cell.inside = low <= segment < high
        cell.levels = 0
        cell.side = (segment >= high) - (segment < low)
    while tree.up[node] != node:
        node = tree.up[node]
        level += 1
        for segment in range(tree.first[node], low):
            (<PositionColumns *>(<float *>first_cell + segment * width)).levels = level
        for segment in range(high, tree.last[node]):
            (<PositionColumns *>(<float *>first_cell + segment * width)).levels = level
        low, high = tree.first[node], tree.last[node]


cdef inline void fill_tags(
    const Page *page, Py_ssize_t segment, int main, int article, TagColumns *cell
) noexcept:
    """Fill in the columns of the tags above a segment; `main` and `article` are numbers of tags."""
    cdef int farthest = page.limits.tag_levels_max, none = page.limits.no_such_tag_levels
    cdef int node = page.owner[segment], place, step = 0
    cdef unsigned int found = page.inside[node]
    for place in range(SEMANTIC_TAGS):
        cell.levels[place] = farthest if found >> place & 1 else none
    cell.inside_main = found >> main & 1 if page.on_page >> main & 1 else -1
    cell.inside_article = found >> article & 1 if page.on_page >> article & 1 else -1
    while step < farthest and found:
        place = page.types[page.element_type[node]].semantic
        if place >= 0 and found >> place & 1:
            cell.levels[place] = step
            found &= ~(<unsigned int>1 << place)
        node = page.parent[node]
        step += 1
