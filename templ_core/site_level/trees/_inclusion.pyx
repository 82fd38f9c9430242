"""Whether a page holds a template, as in `Match` of figure 5; see tree_mapping.py."""

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.trees._tree_pair cimport TreePair, read_pair, same

cdef bint placed(const TreePair *trees, int left, int right, int *place) noexcept:
    """Whether the left subtree is part of the right one, root on root; each node on its place.

    The first child that holds a subtree is as good as any later one, so nothing is tried twice.
    """
    cdef int offset, child, other
    if same(trees, left, right):
        for offset in range(trees.left_end[left] - left):
            place[left + offset] = right + offset
        return True
    if trees.left_label[left] != trees.right_label[right]:
        return False
    place[left] = right
    child, other = left + 1, right + 1
    while child < trees.left_end[left]:
        if other >= trees.right_end[right]:
            return False
        if placed(trees, child, other, place):
            child = trees.left_end[child]
        other = trees.right_end[other]
    return True


def place_nodes(left_label, left_identity, left_end, right_label, right_identity, right_end):
    cdef TreePair trees
    places = np.empty(len(left_label), np.int32)
    if not len(left_label):
        return places
    if not len(right_label):
        return None
    read_pair(
        &trees, left_label, left_identity, left_end, right_label, right_identity, right_end
    )
    return places if placed(&trees, 0, 0, <int *>items(places, 4, True)) else None
