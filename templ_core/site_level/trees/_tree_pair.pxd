# Two labelled trees, as arrays of their nodes in document order.

from templ_core._arrays cimport items

ctypedef unsigned long long hash_t

cdef struct TreePair:
    const hash_t *left_label
    const hash_t *right_label
    const hash_t *left_identity     # of the whole subtree
    const hash_t *right_identity
    const int *left_end
    const int *right_end


cdef inline int read_pair(
    TreePair *pair, left_label, left_identity, left_end, right_label, right_identity, right_end
) except -1:
    pair.left_label = <const hash_t *>items(left_label, 8)
    pair.right_label = <const hash_t *>items(right_label, 8)
    pair.left_identity = <const hash_t *>items(left_identity, 8)
    pair.right_identity = <const hash_t *>items(right_identity, 8)
    pair.left_end = <const int *>items(left_end, 4)
    pair.right_end = <const int *>items(right_end, 4)
    return 0


cdef inline bint same(const TreePair *pair, int left, int right) noexcept:
    return pair.left_identity[left] == pair.right_identity[right]
