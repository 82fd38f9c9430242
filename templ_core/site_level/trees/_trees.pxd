# Two labelled trees as arrays of their nodes in document order, and what operations on them cost.

from libc.string cimport memset

from templ_core._arrays cimport items
from templ_core.site_level.trees._memo cimport Memo
from templ_core.site_level.trees._outline cimport Outline

ctypedef unsigned long long hash_t

cdef struct TreePair:
    const hash_t *left_label
    const hash_t *right_label
    const hash_t *left_identity     # of the whole subtree
    const hash_t *right_identity
    const int *left_end
    const int *right_end

cdef struct Trees:
    TreePair pair
    Outline left
    Outline right
    long long *rows
    long long replace
    long long insert
    long long delete
    long long run_cells_max
    long long cells_left
    Memo memo


cdef inline int read_pair(TreePair *pair, left, right) except -1:
    """Point at the columns of two `LabelledTree`s; both must outlive the pair."""
    pair.left_label = <const hash_t *>items(left.label, 8)
    pair.right_label = <const hash_t *>items(right.label, 8)
    pair.left_identity = <const hash_t *>items(left.identity, 8)
    pair.right_identity = <const hash_t *>items(right.identity, 8)
    pair.left_end = <const int *>items(left.end, 4)
    pair.right_end = <const int *>items(right.end, 4)
    return 0


cdef inline void begin_trees(Trees *trees) noexcept:
    """Make everything that is allotted later safe to free."""
    memset(trees, 0, sizeof(Trees))


cdef inline bint same(const TreePair *pair, int left, int right) noexcept:
    return pair.left_identity[left] == pair.right_identity[right]


cdef inline long long delete_cost(const Trees *trees, int node) noexcept:
    return trees.delete * (trees.pair.left_end[node] - node)


cdef inline long long insert_cost(const Trees *trees, int node) noexcept:
    return trees.insert * (trees.pair.right_end[node] - node)


cdef inline long long least_cost(const Trees *trees, int left, int right) noexcept:
    """Return a lower bound for the cost of mapping two subtrees: their difference in size."""
    cdef long long size = trees.pair.left_end[left] - left
    cdef long long other_size = trees.pair.right_end[right] - right
    if size > other_size:
        return trees.delete * (size - other_size) - other_size
    return trees.insert * (other_size - size) - size


cdef inline bint differ_in_texts(const Trees *trees, int left, int right, long long *cost) noexcept:
    """Return whether it is cheapest to replace each node of a subtree by its like in the other.

    That is so where the subtrees differ in childless nodes alone, none of which the other side has
    elsewhere. The answer may be no where only a longer search could tell.
    """
    cdef int offset, size = trees.pair.left_end[left] - left, replaced = 0
    cdef hash_t bits[4]
    cdef hash_t label
    if (
        trees.left.shape[left] != trees.right.shape[right]
        or trees.replace > trees.delete + trees.insert
    ):
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
    cost[0] = replaced * trees.replace - (size - replaced)
    return True
