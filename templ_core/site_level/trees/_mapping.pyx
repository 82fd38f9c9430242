"""The restricted top-down mapping of two trees; `tree_mapping.py` says what it computes.

Each operation costs `UNIT`, less 1 for each node that both trees have, so the least cost is that of the cheapest mapping
with most common nodes.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

import numpy as np

from templ_core._arrays cimport items
from templ_core._hashing cimport finalised

ctypedef unsigned long long hash_t

cdef long long UNIT = 1LL << 32

cdef enum:
    NO_COST = -0x7FFFFFFF  # Below any number of common nodes, and no multiple of UNIT.

# A hash table of values by keys that are not 0, with open addressing.
cdef struct Memo:
    hash_t *keys
    long long *values
    Py_ssize_t capacity
    Py_ssize_t used

# The children of each node, and the shape of each subtree.
cdef struct Outline:
    hash_t *shape
    int *first
    int *child

# Labels, identities of whole subtrees, and ends, of nodes in document order.
cdef struct TreePair:
    const hash_t *left_label
    const hash_t *right_label
    const hash_t *left_identity
    const hash_t *right_identity
    const int *left_end
    const int *right_end

cdef struct Trees:
    TreePair pair
    Outline left
    Outline right
    long long run_cells_max
    long long cells_left
    Memo memo

cdef struct Walk:
    int *left
    int *right
    Py_ssize_t count


cdef inline Py_ssize_t find(Memo *memo, hash_t key) noexcept:
    """Return where `key` is, or where it is to be put."""
    cdef Py_ssize_t place = finalised(key) & <hash_t>(memo.capacity - 1)
    while memo.keys[place] and memo.keys[place] != key:
        place = (place + 1) & (memo.capacity - 1)
    return place


cdef int remember(Memo *memo, hash_t key, long long value) except -1:
    cdef Memo larger
    cdef Py_ssize_t place
    if 2 * memo.used >= memo.capacity:
        larger.capacity = max(256, 4 * memo.capacity)
        larger.used = 0
        larger.keys = <hash_t *>calloc(larger.capacity, sizeof(hash_t))
        larger.values = <long long *>malloc(larger.capacity * sizeof(long long))
        if larger.keys == NULL or larger.values == NULL:
            free(larger.keys)
            free(larger.values)
            raise MemoryError
        for place in range(memo.capacity):
            if memo.keys[place]:
                remember(&larger, memo.keys[place], memo.values[place])
        free(memo.keys)
        free(memo.values)
        memo[0] = larger
    place = find(memo, key)
    memo.keys[place] = key
    memo.values[place] = value
    memo.used += 1
    return 0


cdef inline void forget_all(Memo *memo) noexcept:
    free(memo.keys)
    free(memo.values)


cdef int draw(Outline *outline, const hash_t *label, const int *end, Py_ssize_t count) except -1:
    """List children and hash shapes; subtrees that differ in childless nodes alone have equal shapes."""
    cdef Py_ssize_t node, drawn = 0
    cdef int child
    cdef hash_t shape
    outline.shape = <hash_t *>malloc(count * sizeof(hash_t))
    outline.first = <int *>malloc((count + 1) * sizeof(int))
    outline.child = <int *>malloc(count * sizeof(int))
    if outline.shape == NULL or outline.first == NULL or outline.child == NULL:
        raise MemoryError
    for node in range(count):
        outline.first[node] = <int>drawn
        child = <int>node + 1
        while child < end[node]:
            outline.child[drawn] = child
            drawn += 1
            child = end[child]
    outline.first[count] = <int>drawn
    for node in range(count - 1, -1, -1):
        shape = 1
        for child in range(outline.first[node], outline.first[node + 1]):
            shape = shape * <hash_t>0x9E3779B97F4A7C15ULL + outline.shape[outline.child[child]]
        outline.shape[node] = finalised(label[node] + finalised(shape)) if end[node] > node + 1 else 1
    return 0


cdef inline void erase(Outline *outline) noexcept:
    free(outline.shape)
    free(outline.first)
    free(outline.child)


cdef inline bint same(const TreePair *pair, int left, int right) noexcept:
    return pair.left_identity[left] == pair.right_identity[right]


cdef inline long long delete_cost(const Trees *trees, int node) noexcept:
    return UNIT * (trees.pair.left_end[node] - node)


cdef inline long long insert_cost(const Trees *trees, int node) noexcept:
    return UNIT * (trees.pair.right_end[node] - node)


cdef inline long long replaced_cost(const Trees *trees, int left, int right) noexcept:
    """Return the cost of replacing a node, with all below both sides deleted and inserted."""
    return delete_cost(trees, left) + insert_cost(trees, right) - UNIT


cdef inline long long least_cost(const Trees *trees, int left, int right) noexcept:
    """Return a lower bound for the cost of mapping two subtrees: their difference in size."""
    cdef long long size = trees.pair.left_end[left] - left
    cdef long long other_size = trees.pair.right_end[right] - right
    return UNIT * max(size - other_size, other_size - size) - min(size, other_size)


cdef inline bint differ_in_texts(const Trees *trees, int left, int right, long long *cost) noexcept:
    """Return whether it is cheapest to replace each node of a subtree by its like in the other.

    That is so where the subtrees differ in childless nodes alone that the other side does not have
    elsewhere. The answer may be no where only a longer search could find out.
    """
    cdef int offset, size = trees.pair.left_end[left] - left, replaced = 0
    cdef hash_t bits[4]
    cdef hash_t label
    if trees.left.shape[left] != trees.right.shape[right]:
        return False
    bits[0] = bits[1] = bits[2] = bits[3] = 0
    for offset in range(size):
        label = trees.pair.right_label[right + offset]
        if label != trees.pair.left_label[left + offset]:
            bits[label >> 62] |= <hash_t>1 << ((label >> 56) & 63)
            replaced += 1
    for offset in range(size):
        label = trees.pair.left_label[left + offset]
        if (
            label != trees.pair.right_label[right + offset]
            and bits[label >> 62] >> ((label >> 56) & 63) & 1
        ):
            return False
    cost[0] = replaced * UNIT - (size - replaced)
    return True


cdef inline hash_t pair_key(int left, int right) noexcept:
    return ((<hash_t>left << 32) | <hash_t>right) + 1


cdef long long pair_cost(Trees *trees, int left, int right) except? NO_COST:
    cdef Py_ssize_t place
    cdef long long cost
    cdef bint linear
    if same(&trees.pair, left, right):
        return left - trees.pair.left_end[left]
    if trees.pair.left_label[left] != trees.pair.right_label[right]:
        return replaced_cost(trees, left, right)
    if differ_in_texts(trees, left, right, &cost):
        return cost
    if trees.memo.capacity:
        place = find(&trees.memo, pair_key(left, right))
        if trees.memo.keys[place]:
            return trees.memo.values[place] >> 1
    linear = trees.cells_left <= 0
    cost = children_cost(trees, left, right, linear, NULL) - 1
    remember(&trees.memo, pair_key(left, right), 2 * cost + linear)
    return cost


# Writing the mapping down

cdef inline void write(Walk *walk, int left, int right) noexcept:
    walk.left[walk.count] = left
    walk.right[walk.count] = right
    walk.count += 1


cdef void write_deleted(Walk *walk, int first, int end) noexcept:
    for node in range(first, end):
        write(walk, node, -1)


cdef void write_inserted(Walk *walk, int first, int end) noexcept:
    for node in range(first, end):
        write(walk, -1, node)


cdef int write_pair(Trees *trees, int left, int right, Walk *walk) except -1:
    cdef int offset
    cdef Py_ssize_t place
    cdef long long cost
    if same(&trees.pair, left, right):
        for offset in range(trees.pair.left_end[left] - left):
            write(walk, left + offset, right + offset)
        return 0
    if trees.pair.left_label[left] == trees.pair.right_label[right] and differ_in_texts(
        trees, left, right, &cost
    ):
        for offset in range(trees.pair.left_end[left] - left):
            write(walk, left + offset, right + offset)
        return 0
    write(walk, left, right)
    if trees.pair.left_label[left] != trees.pair.right_label[right]:
        write_deleted(walk, left + 1, trees.pair.left_end[left])
        write_inserted(walk, right + 1, trees.pair.right_end[right])
        return 0
    place = find(&trees.memo, pair_key(left, right))
    children_cost(trees, left, right, trees.memo.values[place] & 1, walk)
    return 0


# Children of a pair

cdef long long children_cost(
    Trees *trees, int left, int right, bint linear, Walk *walk
) except? NO_COST:
    """Return the cost of mapping the children of a pair with equal labels, and write it to `walk`."""
    cdef int *ones = trees.left.child + trees.left.first[left]
    cdef int *others = trees.right.child + trees.right.first[right]
    cdef int count = trees.left.first[left + 1] - trees.left.first[left]
    cdef int other_count = trees.right.first[right + 1] - trees.right.first[right]
    cdef int first = 0, last = 0, number
    cdef long long cost = 0
    while first < count and first < other_count and same(&trees.pair, ones[first], others[first]):
        cost += pair_cost(trees, ones[first], others[first])
        first += 1
    while (
        last < count - first and last < other_count - first
        and same(&trees.pair, ones[count - 1 - last], others[other_count - 1 - last])
    ):
        cost += pair_cost(trees, ones[count - 1 - last], others[other_count - 1 - last])
        last += 1
    if walk != NULL:
        for number in range(first):
            write_pair(trees, ones[number], others[number], walk)
    ones, count = ones + first, count - first - last
    others, other_count = others + first, other_count - first - last
    if count and other_count and (linear or <long long>count * other_count > trees.run_cells_max):
        cost += paired_cost(trees, ones, count, others, other_count, walk)
    else:
        cost += aligned_cost(trees, ones, count, others, other_count, walk)
    if walk != NULL:
        for number in range(last):
            write_pair(trees, ones[count + number], others[other_count + number], walk)
    return cost


cdef long long aligned_cost(
    Trees *trees, int *ones, int count, int *others, int other_count, Walk *walk
) except? NO_COST:
    """Return the least cost; rows count what is left of one run, columns what is left of the other."""
    cdef Py_ssize_t i, j, width = other_count + 1
    cdef long long *rows = <long long *>malloc((count + 1) * width * sizeof(long long))
    cdef long long *row = rows + count * width
    if rows == NULL:
        raise MemoryError
    if walk == NULL:
        trees.cells_left -= <long long>count * other_count
    try:
        row[other_count] = 0
        for j in range(other_count - 1, -1, -1):
            row[j] = row[j + 1] + insert_cost(trees, others[j])
        for i in range(count - 1, -1, -1):
            row -= width
            align(trees, ones[i], others, other_count, row + width, row)
        if walk != NULL:
            walk_back(trees, ones, count, others, other_count, rows, walk)
        return rows[0]
    finally:
        free(rows)


cdef int align(
    Trees *trees, int one, int *others, int other_count, const long long *below, long long *row
) except -1:
    """Fill one row of costs from the row below it."""
    cdef hash_t identity = trees.pair.left_identity[one], label = trees.pair.left_label[one]
    cdef long long deleted = delete_cost(trees, one), inserted, best
    cdef int other
    cdef Py_ssize_t j
    row[other_count] = below[other_count] + deleted
    for j in range(other_count - 1, -1, -1):
        other = others[j]
        if trees.pair.right_identity[other] == identity:
            row[j] = below[j + 1] + one - trees.pair.left_end[one]
            continue
        inserted = insert_cost(trees, other)
        best = min(below[j] + deleted, row[j + 1] + inserted)
        if trees.pair.right_label[other] != label:
            best = min(best, below[j + 1] + replaced_cost(trees, one, other))
        elif below[j + 1] + least_cost(trees, one, other) <= best:
            best = min(best, below[j + 1] + pair_cost(trees, one, other))
        row[j] = best
    return 0


cdef int walk_back(
    Trees *trees, int *ones, int count, int *others, int other_count, long long *cost, Walk *walk
) except? NO_COST:
    """Write the choices of least cost to `walk`: pairs before deletions before insertions."""
    cdef int i = 0, j = 0, width = other_count + 1
    cdef long long here, matched
    while i < count and j < other_count:
        here = cost[i * width + j]
        matched = cost[(i + 1) * width + j + 1]
        if same(&trees.pair, ones[i], others[j]) or (
            matched + least_cost(trees, ones[i], others[j]) <= here
            and matched + pair_cost(trees, ones[i], others[j]) == here
        ):
            write_pair(trees, ones[i], others[j], walk)
            i += 1
            j += 1
        elif here == cost[(i + 1) * width + j] + delete_cost(trees, ones[i]):
            write_deleted(walk, ones[i], trees.pair.left_end[ones[i]])
            i += 1
        else:
            write_inserted(walk, others[j], trees.pair.right_end[others[j]])
            j += 1
    for i in range(i, count):
        write_deleted(walk, ones[i], trees.pair.left_end[ones[i]])
    for j in range(j, other_count):
        write_inserted(walk, others[j], trees.pair.right_end[others[j]])
    return 0


# Runs too long to be aligned

cdef long long paired_cost(
    Trees *trees, int *ones, int count, int *others, int other_count, Walk *walk
) except? NO_COST:
    """Return the cost of pairing equal labels in order, in linear time.

    Where labels differ, a sibling of the longer remaining run has no pair.
    """
    cdef int i = 0, j = 0, one, other
    cdef long long cost = 0
    while i < count or j < other_count:
        one, other = ones[min(i, count - 1)], others[min(j, other_count - 1)]
        if i < count and j < other_count and trees.pair.left_label[one] == trees.pair.right_label[other]:
            cost += pair_cost(trees, one, other)
            if walk != NULL:
                write_pair(trees, one, other, walk)
            i += 1
            j += 1
        elif count - i >= other_count - j:
            cost += delete_cost(trees, one)
            if walk != NULL:
                write_deleted(walk, one, trees.pair.left_end[one])
            i += 1
        else:
            cost += insert_cost(trees, other)
            if walk != NULL:
                write_inserted(walk, other, trees.pair.right_end[other])
            j += 1
    return cost


# The mapping

def map_nodes(left, right, long long run_cells_max, long long cells_max):
    """Return the cost of the mapping, and its nodes of the left and of the right tree."""
    cdef Trees trees
    cdef Walk walk
    cdef Py_ssize_t count = len(left.label), other_count = len(right.label)
    cdef long long cost
    ones, others = np.empty(count + other_count, np.int32), np.empty(count + other_count, np.int32)
    if not count or not other_count:
        ones[:count], ones[count:] = np.arange(count), -1
        others[:count], others[count:] = -1, np.arange(other_count)
        return count + other_count, ones, others
    memset(&trees, 0, sizeof(Trees))        # So all can be freed.
    trees.pair = TreePair(
        <const hash_t *>items(left.label, 8), <const hash_t *>items(right.label, 8),
        <const hash_t *>items(left.identity, 8), <const hash_t *>items(right.identity, 8),
        <const int *>items(left.end, 4), <const int *>items(right.end, 4),
    )
    trees.run_cells_max, trees.cells_left = run_cells_max, cells_max
    walk.left, walk.right, walk.count = <int *>items(ones, 4, True), <int *>items(others, 4, True), 0
    try:
        draw(&trees.left, trees.pair.left_label, trees.pair.left_end, count)
        draw(&trees.right, trees.pair.right_label, trees.pair.right_end, other_count)
        cost = pair_cost(&trees, 0, 0)
        write_pair(&trees, 0, 0, &walk)
    finally:
        erase(&trees.left)
        erase(&trees.right)
        forget_all(&trees.memo)
    return (cost + UNIT - 1) // UNIT, ones[: walk.count], others[: walk.count]
