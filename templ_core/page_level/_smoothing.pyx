"""Compiled regularised isotonic smoothing; see `templ_core.page_level.smoothing`."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level._page_tree cimport Tree as PageTree, tree_of

cdef enum:
    VALUES = 64                 # that y is first tried with
    LAST = VALUES - 1

cdef double[VALUES] GRID        # those values, from 0 to 1

cdef struct Tree:
    Py_ssize_t count
    const int32_t *parent       # in document order; -1 for roots
    const double *score
    const double *weight
    const double *penalty
    # made on the way
    int32_t *depth
    int32_t *taken              # number of each node's value
    int32_t *section
    uint8_t *choice             # for each node and value of its parent, the number of the node's cheapest value

cdef struct Section:
    Py_ssize_t above            # the section around it; -1 = none
    double value                # its score so far
    double median               # weighted median of the scores of its nodes
    double total                # weight of its nodes
    double lighter              # weight of its nodes with a lower score
    double limit                # the lowest score of the sections inside it


cdef void _fill_grid() noexcept:
    cdef int number
    for number in range(VALUES):
        GRID[number] = number * (1.0 / LAST) if number < LAST else 1.0


_fill_grid()


def smooth(parent, score, weight, penalty):
    """Return the smoothed score of each node, and the number of its section; see `smoothing.smooth`."""
    cdef Tree tree
    tree.count = len(parent)
    tree.parent = <const int32_t *>items(parent, 4)
    tree.weight = <const double *>items(weight, 8)
    tree.penalty = <const double *>items(penalty, 8)
    scores, sections = np.empty(tree.count), np.empty(tree.count, np.int32)
    _smooth(&tree, score, <double *>items(scores, 8, True), <int32_t *>items(sections, 4, True))
    return scores, sections


cdef int _smooth(Tree *tree, score, double *smoothed, int32_t *number) except -1:
    """Fill in smoothed scores and sections; of the tree, parents, weights and penalties are known."""
    cdef Section *sections = NULL
    cdef double *below = NULL
    cdef Py_ssize_t deepest
    ascending = score.argsort(kind="stable")
    tree.score = <const double *>items(score, 8)
    cdef char *block = <char *>malloc(tree.count * (3 * sizeof(int32_t) + VALUES) + 1)
    try:
        if block == NULL:
            raise MemoryError
        tree.depth = <int32_t *>block
        tree.taken, tree.section = tree.depth + tree.count, tree.depth + 2 * tree.count
        tree.choice = <uint8_t *>(tree.depth + 3 * tree.count)
        deepest = _fill_depths(tree, tree.taken)
        # By depth and value: the summed costs of the subtrees below the node of that depth which is
        # reached next, going backwards.
        below = <double *>calloc((deepest + 2) * VALUES, sizeof(double))
        sections = <Section *>malloc((tree.count + 1) * sizeof(Section))
        if below == NULL or sections == NULL:
            raise MemoryError
        _fill_choices(tree, below)
        _settle(tree, sections, _walk_down(tree), <const Py_ssize_t *>items(ascending, sizeof(Py_ssize_t)))
        _read_off(tree, sections, smoothed, number)
    finally:
        free(block)
        free(below)
        free(sections)
    return 0


cdef Py_ssize_t _fill_depths(const Tree *tree, int32_t *open_node) except -1:
    """Fill in the depth of each node, and return the largest one; `open_node` is for the loop's use.

    Raises:
        ValueError: If the nodes are not in document order.
    """
    cdef Py_ssize_t node, above, deepest = 0
    for node in range(tree.count):
        above = tree.parent[node]
        tree.depth[node] = 0
        if above >= 0:
            if above >= node or open_node[tree.depth[above]] != above:
                raise ValueError(f"node {node} is not in document order")
            tree.depth[node] = tree.depth[above] + 1
            deepest = max(deepest, tree.depth[node])
        open_node[tree.depth[node]] = <int32_t>node
    return deepest


cdef void _fill_choices(const Tree *tree, double *below) noexcept:
    """Fill in the choices from the leaves up: BuildError."""
    cdef Py_ssize_t node, value, best_value
    cdef double cost, best, dearer, x, w, gamma
    cdef double *own
    cdef double *above
    cdef uint8_t *taken
    for node in range(tree.count - 1, -1, -1):
        x, w = tree.score[node], tree.weight[node]
        gamma = tree.penalty[node] if tree.parent[node] >= 0 else 0.0
        above, taken = below + tree.depth[node] * VALUES, tree.choice + node * VALUES
        if node == tree.count - 1 or tree.depth[node + 1] <= tree.depth[node]:
            _fill_leaf(x, w, gamma, above, taken)
            continue
        own = above + VALUES
        best_value = LAST
        best = own[LAST] + w * fabs(x - GRID[LAST])
        own[LAST] = 0
        above[LAST] += best
        taken[LAST] = LAST
        for value in range(LAST - 1, -1, -1):
            cost = own[value] + w * fabs(x - GRID[value])
            own[value] = 0
            dearer = best + gamma
            above[value] += cost if cost <= dearer else dearer
            taken[value] = <uint8_t>(value if cost <= dearer else best_value)
            best_value = value if cost <= best else best_value
            best = cost if cost <= best else best


cdef void _fill_leaf(double x, double w, double gamma, double *above, uint8_t *taken) noexcept:
    """Fill in the choices of a leaf, whose cost falls up to the value nearest to its score and then rises.

    Below that value a leaf goes to it where that is cheaper; from there on it stays with its parent.
    """
    cdef Py_ssize_t value, moves = 0, nearest = _nearest(x)
    cdef double least = w * fabs(x - GRID[nearest]) + gamma
    while moves < nearest and w * fabs(x - GRID[moves]) > least:
        moves += 1
    for value in range(moves):
        above[value] += least
        taken[value] = <uint8_t>nearest
    for value in range(moves, VALUES):
        above[value] += w * fabs(x - GRID[value])
    for value in range(moves, VALUES):
        taken[value] = <uint8_t>value


cdef Py_ssize_t _nearest(double x) noexcept:
    """Return the number of the value nearest to x, the first one of several."""
    cdef Py_ssize_t low = 0, high = LAST, middle
    while low < high:
        middle = (low + high) // 2
        if GRID[middle] < x:
            low = middle + 1
        else:
            high = middle
    while low and fabs(x - GRID[low - 1]) <= fabs(x - GRID[low]):
        low -= 1
    return low


cdef Py_ssize_t _walk_down(const Tree *tree) noexcept:
    """Fill in the number of each node's value, and its section, from the roots down; return how many sections there are."""
    cdef Py_ssize_t node, above
    cdef int32_t sections = 0
    for node in range(tree.count):
        above = tree.parent[node]
        tree.taken[node] = tree.choice[node * VALUES + (tree.taken[above] if above >= 0 else 0)]
        if above >= 0 and tree.taken[node] == tree.taken[above]:
            tree.section[node] = tree.section[above]
        else:
            tree.section[node] = sections
            sections += 1
    return sections


cdef void _settle(
    const Tree *tree, Section *section, Py_ssize_t sections, const Py_ssize_t *ascending
) noexcept:
    """Move each section to the weighted median of its scores, between the sections around it."""
    cdef Py_ssize_t place, node, above, number
    cdef Section *own
    for number in range(sections):
        section[number] = Section(-1, 0, 0, 0, 0, INFINITY)
    for node in range(tree.count):
        own, above = &section[tree.section[node]], tree.parent[node]
        own.total += tree.weight[node]
        own.value = own.median = GRID[tree.taken[node]]
        if above >= 0 and tree.section[above] != tree.section[node]:
            own.above = tree.section[above]
    for place in range(tree.count):
        node = ascending[place]
        own = &section[tree.section[node]]
        if 2 * own.lighter < own.total <= 2 * (own.lighter + tree.weight[node]):
            own.median = tree.score[node]
        own.lighter += tree.weight[node]
    for number in range(sections):
        _limit_above(section, number)
    for number in range(sections):
        _move(section, number)
        section[number].limit = INFINITY
    for number in range(sections - 1, -1, -1):
        _move(section, number)
        _limit_above(section, number)


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


cdef void _read_off(
    const Tree *tree, const Section *section, double *smoothed, int32_t *number
) noexcept:
    """Fill in each node's score and the sections; neighbouring sections with one score are joined."""
    cdef Py_ssize_t node, above
    cdef int32_t sections = 0
    for node in range(tree.count):
        above = tree.parent[node]
        smoothed[node] = section[tree.section[node]].value
        if above >= 0 and smoothed[node] == smoothed[above]:
            number[node] = number[above]
        else:
            number[node] = sections
            sections += 1


# --- the text of a page ---------------------------------------------------------------------


def smooth_text(page_tree, templateness_column, double penalty):
    """Return smoothed scores, sections and words of sections; see `smoothing.smooth_text`."""
    cdef PageTree page = tree_of(page_tree)
    cdef const double *templateness = <const double *>items(templateness_column, 8)
    cdef Py_ssize_t most = page.nodes + page.segments, segment, node
    found, section_words = np.empty(page.segments), np.empty(page.segments)
    sections, scores = np.empty(page.segments, np.int32), np.zeros(most)
    cdef double *score_of = <double *>items(found, 8, True)
    cdef double *words_of = <double *>items(section_words, 8, True)
    cdef int32_t *section_of = <int32_t *>items(sections, 4, True)
    cdef double *score = <double *>items(scores, 8, True)
    cdef double total = 0
    cdef Tree tree
    # Weights, penalties, smoothed scores, words inside nodes and before segments; parents, leaves, sections and a stack.
    cdef double *block = <double *>calloc(5 * most + 1 + 2 * most, sizeof(double))
    if block == NULL:
        raise MemoryError
    cdef double *weight = block
    cdef double *penalty_of = weight + most
    cdef double *smoothed = penalty_of + most
    cdef double *words = smoothed + most
    cdef double *before = words + most
    cdef int32_t *parent = <int32_t *>(before + most + 1)
    cdef int32_t *leaf = parent + most
    cdef int32_t *number = leaf + page.segments         # n_nodes + n_segments numbers, and as many behind them
    try:
        tree.count = _fill_text_tree(&page, parent, leaf, words, before, number, number + most)
        tree.parent, tree.weight, tree.penalty = parent, weight, penalty_of
        for segment in range(page.segments):
            node = leaf[segment]
            score[node], weight[node] = templateness[segment], sqrt(words[node])
            total += words[node]
        for node in range(tree.count):
            penalty_of[node] = penalty * total / words[node]
        _smooth(&tree, scores[: tree.count], smoothed, number)
        for node in range(tree.count):
            penalty_of[node] = 0        # from here on the words of the sections
        for segment in range(page.segments):
            score_of[segment], section_of[segment] = smoothed[leaf[segment]], number[leaf[segment]]
            penalty_of[section_of[segment]] += words[leaf[segment]]
        for segment in range(page.segments):
            words_of[segment] = penalty_of[section_of[segment]]
    finally:
        free(block)
    return found, sections, section_words


cdef Py_ssize_t _fill_text_tree(
    const PageTree *page, int32_t *parent, int32_t *leaf, double *words, double *before, int32_t *number,
    int32_t *around,
) noexcept:
    """Fill in the parents of a page's nodes of text, the node of each segment, and the words in each node.

    The stack holds the nodes around the next node or segment; each has at least two segments. It may be
    as high as the page has nodes, since text in links that stay open is in several of them without nesting.

    Args:
        page: The tree of the page.
        parent: The parent of each node.
        leaf: The node of each segment.
        words: The words in each node.
        before: Room for the words before each segment; the first is 0.
        number: Room for a stack.
        around: Room for another stack; both need n_nodes numbers.
    """
    cdef Py_ssize_t node, height = 0, size = 0, segment, end
    for segment in range(page.segments):
        before[segment + 1] = before[segment] + page.words[segment]
    segment = 0
    for node in range(page.nodes + 1):
        end = page.segments if node == page.nodes else page.first[node]
        if node < page.nodes and page.last[node] - page.first[node] < 2:
            continue
        while segment < end:
            while height and page.last[around[height - 1]] <= segment:
                height -= 1
            parent[size] = number[height - 1] if height else -1
            words[size], leaf[segment] = page.words[segment], <int32_t>size
            size += 1
            segment += 1
        if node == page.nodes:
            break
        while height and page.last[around[height - 1]] <= page.first[node]:
            height -= 1
        if height and page.first[around[height - 1]] == page.first[node] and (
            page.last[around[height - 1]] == page.last[node]
        ):
            continue
        parent[size] = number[height - 1] if height else -1
        words[size] = before[page.last[node]] - before[page.first[node]]
        around[height], number[height] = <int32_t>node, <int32_t>size
        height += 1
        size += 1
    return size
