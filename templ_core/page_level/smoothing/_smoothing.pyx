"""Compiled loops of the isotonic smoothing; see `templ_core.page_level.smoothing.isotonic`."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from templ_core._arrays cimport items

# The number of a value: a byte where there are few values.
ctypedef fused ValueNumber:
    uint8_t
    int32_t

cdef enum:
    BYTE_VALUES = 256

cdef struct Tree:
    Py_ssize_t count
    const int32_t *parent       # in document order; -1 for roots
    const int32_t *depth
    const double *score
    const double *weight
    const double *penalty

cdef struct Section:
    Py_ssize_t above            # the section around it; -1 = none
    double value                # its score so far
    double median               # weighted median of the scores of its nodes
    double total                # weight of its nodes
    double lighter              # weight of its nodes with a lower score
    double limit                # the lowest score of the sections inside it


def best_of_values(parent, score, weight, penalty, values_column):
    """Return the number of each node's value in the y of least cost, and the node's section.

    This is BuildError, from the leaves up.

    Args:
        parent: Parent of each node in document order; -1 for roots.
        score: Score of each node.
        weight: Weight of each node.
        penalty: What it costs to start a section at each node.
        values_column: The values that y may have, ascending.

    Raises:
        ValueError: If the nodes are not in document order.
    """
    cdef Tree tree
    cdef Py_ssize_t last = len(values_column) - 1
    cdef const double *values = <const double *>items(values_column, 8)
    tree.count = len(parent)
    tree.parent = <const int32_t *>items(parent, 4)
    tree.score = <const double *>items(score, 8)
    tree.weight = <const double *>items(weight, 8)
    tree.penalty = <const double *>items(penalty, 8)
    depths, value_numbers, sections = np.empty((3, tree.count), np.int32)
    cdef int32_t *depth = <int32_t *>items(depths, 4, True)
    cdef int32_t *taken = <int32_t *>items(value_numbers, 4, True)
    cdef int32_t *section = <int32_t *>items(sections, 4, True)
    tree.depth = depth
    # By depth and value: the summed costs of the subtrees below the node of that depth which is
    # reached next, going backwards.
    below_rows = np.zeros((_fill_depths(&tree, depth, taken) + 2, last + 1))
    cdef double *below = <double *>items(below_rows, 8, True)
    number = np.uint8 if last < BYTE_VALUES else np.int32
    choices = np.empty((tree.count, last + 1), number)
    cdef void *choice = items(choices, choices.itemsize, True)
    if last < BYTE_VALUES:
        _fill_choices(&tree, values, last, below, <uint8_t *>choice)
        _walk_down(&tree, last, <const uint8_t *>choice, taken, section)
    else:
        _fill_choices(&tree, values, last, below, <int32_t *>choice)
        _walk_down(&tree, last, <const int32_t *>choice, taken, section)
    return value_numbers, sections


cdef Py_ssize_t _fill_depths(const Tree *tree, int32_t *depth, int32_t *open_node) except -1:
    """Fill in the depth of each node, and return the largest one; `open_node` is for the loop's use."""
    cdef Py_ssize_t node, above, deepest = 0
    for node in range(tree.count):
        above = tree.parent[node]
        depth[node] = 0
        if above >= 0:
            if above >= node or open_node[depth[above]] != above:
                raise ValueError(f"node {node} is not in document order")
            depth[node] = depth[above] + 1
            deepest = max(deepest, depth[node])
        open_node[depth[node]] = <int32_t>node
    return deepest


cdef void _fill_choices(
    const Tree *tree, const double *values, Py_ssize_t last, double *below, ValueNumber *choice
) noexcept:
    """Fill in, for each node and value of its parent, the number of the node's cheapest value."""
    cdef Py_ssize_t node, value, best_value
    cdef double cost, best, dearer, x, w, gamma
    cdef double *own
    cdef double *above
    cdef ValueNumber *taken
    for node in range(tree.count - 1, -1, -1):
        x, w = tree.score[node], tree.weight[node]
        gamma = tree.penalty[node] if tree.parent[node] >= 0 else 0.0
        above, taken = below + tree.depth[node] * (last + 1), choice + node * (last + 1)
        if node == tree.count - 1 or tree.depth[node + 1] <= tree.depth[node]:
            _fill_leaf(x, w, gamma, values, last, above, taken)
            continue
        own = above + last + 1
        best_value = last
        best = own[last] + w * fabs(x - values[last])
        own[last] = 0
        above[last] += best
        taken[last] = <ValueNumber>last
        for value in range(last - 1, -1, -1):
            cost = own[value] + w * fabs(x - values[value])
            own[value] = 0
            dearer = best + gamma
            above[value] += cost if cost <= dearer else dearer
            taken[value] = <ValueNumber>(value if cost <= dearer else best_value)
            best_value = value if cost <= best else best_value
            best = cost if cost <= best else best


cdef void _fill_leaf(
    double x,
    double w,
    double gamma,
    const double *values,
    Py_ssize_t last,
    double *above,
    ValueNumber *taken,
) noexcept:
    """Fill in the choices of a leaf, whose cost falls up to the value nearest to its score and then rises.

    Below that value a leaf goes to it where that is cheaper; from there on it stays with its parent.
    """
    cdef Py_ssize_t value, moves = 0, nearest = _nearest(x, values, last)
    cdef double cost, least = w * fabs(x - values[nearest]) + gamma
    while moves < nearest and w * fabs(x - values[moves]) > least:
        moves += 1
    for value in range(moves):
        above[value] += least
        taken[value] = <ValueNumber>nearest
    for value in range(moves, last + 1):
        above[value] += w * fabs(x - values[value])
    for value in range(moves, last + 1):
        taken[value] = <ValueNumber>value


cdef Py_ssize_t _nearest(double x, const double *values, Py_ssize_t last) noexcept:
    """Return the number of the value nearest to x, the first one of several; values ascend."""
    cdef Py_ssize_t low = 0, high = last, middle
    while low < high:
        middle = (low + high) // 2
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    while low and fabs(x - values[low - 1]) <= fabs(x - values[low]):
        low -= 1
    return low


cdef void _walk_down(
    const Tree *tree, Py_ssize_t last, const ValueNumber *choice, int32_t *value, int32_t *section
) noexcept:
    """Fill in the number of each node's value, and its section, from the roots down."""
    cdef Py_ssize_t node, above
    cdef int32_t sections = 0
    for node in range(tree.count):
        above = tree.parent[node]
        value[node] = choice[node * (last + 1) + (value[above] if above >= 0 else 0)]
        if above >= 0 and value[node] == value[above]:
            section[node] = section[above]
        else:
            section[node] = sections
            sections += 1


def settle(
    parent_column, score_column, weight_column, section_column, values_column, taken_column, ascending
):
    """Move each section to the weighted median of its scores, between the sections around it.

    Args:
        parent_column: Parent of each node in document order.
        score_column: Score of each node.
        weight_column: Weight of each node.
        section_column: Section of each node.
        values_column: The values of the grid.
        taken_column: Number of each node's value.
        ascending: The nodes by rising score.

    Returns:
        Smoothed scores and sections; sections that meet are joined.
    """
    cdef Py_ssize_t place, node, above, number, sections = 0, count = len(parent_column)
    cdef const int32_t *parent = <const int32_t *>items(parent_column, 4)
    cdef const double *score = <const double *>items(score_column, 8)
    cdef const double *weight = <const double *>items(weight_column, 8)
    cdef const int32_t *section_of = <const int32_t *>items(section_column, 4)
    cdef const double *values = <const double *>items(values_column, 8)
    cdef const int32_t *taken = <const int32_t *>items(taken_column, 4)
    cdef const Py_ssize_t *order = <const Py_ssize_t *>items(ascending, sizeof(Py_ssize_t))
    cdef Section *own
    for node in range(count):
        sections = max(sections, section_of[node] + 1)
    rows = np.empty(sections * sizeof(Section), np.uint8)
    cdef Section *section = <Section *>items(rows, 1, True)
    for number in range(sections):
        section[number] = Section(-1, 0, 0, 0, 0, INFINITY)
    for node in range(count):
        own, above = &section[section_of[node]], parent[node]
        own.total += weight[node]
        own.value = own.median = values[taken[node]]
        if above >= 0 and section_of[above] != section_of[node]:
            own.above = section_of[above]
    for place in range(count):
        node = order[place]
        own = &section[section_of[node]]
        if 2 * own.lighter < own.total <= 2 * (own.lighter + weight[node]):
            own.median = score[node]
        own.lighter += weight[node]
    for number in range(sections):
        _limit_above(section, number)
    for number in range(sections):
        _move(section, number)
        section[number].limit = INFINITY
    for number in range(sections - 1, -1, -1):
        _move(section, number)
        _limit_above(section, number)
    return _read_off(parent, count, section_of, section)


cdef inline void _move(Section *section, Py_ssize_t number) noexcept:
    """Move a section to its median, as far as the sections inside and around it allow."""
    cdef Section *own = &section[number]
    own.value = max(
        min(own.median, own.limit), section[own.above].value if own.above >= 0 else -INFINITY
    )


cdef inline void _limit_above(Section *section, Py_ssize_t number) noexcept:
    """Let a section limit the one around it."""
    cdef Section *own = &section[number]
    if own.above >= 0:
        section[own.above].limit = min(section[own.above].limit, own.value)


cdef _read_off(
    const int32_t *parent, Py_ssize_t count, const int32_t *section_of, const Section *section
):
    """Return each node's score, and sections of which neighbours with one score are joined."""
    cdef Py_ssize_t node, above
    cdef int32_t sections = 0
    scores, numbers = np.empty(count), np.empty(count, np.int32)
    cdef double *smoothed = <double *>items(scores, 8, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    for node in range(count):
        above = parent[node]
        smoothed[node] = section[section_of[node]].value
        if above >= 0 and smoothed[node] == smoothed[above]:
            number[node] = number[above]
        else:
            number[node] = sections
            sections += 1
    return scores, numbers


def smooth_text(page_tree, templateness_column, double penalty, grid):
    """Return smoothed scores, sections and words of sections; see `templ_core.page_level.smoothing.sections`."""
    cdef const double *templateness = <const double *>items(templateness_column, 8)
    parent, leaf_column, word_column = text_tree(page_tree.first, page_tree.last, page_tree.words)
    cdef Py_ssize_t nodes = len(word_column), segments = len(leaf_column), node, segment
    cdef const int32_t *leaf = <const int32_t *>items(leaf_column, 4)
    cdef const double *words = <const double *>items(word_column, 8)
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
    taken, sections = best_of_values(parent, scores, weights, penalties, grid)
    smoothed, sections = settle(
        parent, scores, weights, sections, grid, taken, scores.argsort(kind="stable")
    )
    cdef const double *score_of_node = <const double *>items(smoothed, 8)
    cdef const int32_t *section_of_node = <const int32_t *>items(sections, 4)
    of_section = penalties
    of_section.fill(0)
    cdef double *inside = <double *>items(of_section, 8, True)
    found, section_words = np.empty((2, segments))
    numbers = np.empty(segments, np.int32)
    cdef double *score_of = <double *>items(found, 8, True)
    cdef double *words_of = <double *>items(section_words, 8, True)
    cdef int32_t *number = <int32_t *>items(numbers, 4, True)
    for segment in range(segments):
        score_of[segment] = score_of_node[leaf[segment]]
        number[segment] = section_of_node[leaf[segment]]
        inside[number[segment]] += words[leaf[segment]]
    for segment in range(segments):
        words_of[segment] = inside[number[segment]]
    return found, numbers, section_words


def text_tree(first_column, last_column, word_column):
    """Return the parent of each node of a page's text, the node of each segment, and the words in each node.

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
    return parent[:size], leaf, inside[:size]
