"""Votes for the nodes of a tree and for their texts; see `voted_tree.py`.

The texts of node i are rows start[i] .. start[i + 1] - 1 of the columns `text` and `pages`.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items


cdef inline bint is_better(int64_t pages, uint64_t text, int64_t most, uint64_t lead) noexcept:
    """Return whether a text is on more pages than the lead text, or on as many and smaller."""
    return pages > most or (pages == most and text < lead)


def split_replaced(mapping, voted, page):
    """Return the rows of a mapping with each replaced pair that is not of texts as two rows.

    Its first node is then deleted, and its second one inserted after the descendants of the first.
    """
    cdef Py_ssize_t row, count = len(mapping.left), filled = 0, behind = -1
    cdef const int32_t *old_of = <const int32_t *>items(mapping.left, 4)
    cdef const int32_t *new_of = <const int32_t *>items(mapping.right, 4)
    cdef const uint64_t *old_label = <const uint64_t *>items(voted.label, 8)
    cdef const uint64_t *new_label = <const uint64_t *>items(page.label, 8)
    cdef const int32_t *old_end = <const int32_t *>items(voted.end, 4)
    cdef const int32_t *old_segment = <const int32_t *>items(voted.segment, 4)
    cdef const int32_t *new_segment = <const int32_t *>items(page.segment, 4)
    cdef int32_t old, new, replacing = -1
    left, right = np.empty(2 * count, np.int32), np.empty(2 * count, np.int32)
    cdef int32_t *ones = <int32_t *>items(left, 4, True)
    cdef int32_t *others = <int32_t *>items(right, 4, True)
    for row in range(count + 1):
        if row == behind:
            ones[filled], others[filled] = -1, replacing
            filled += 1
        if row == count:
            break
        old, new = old_of[row], new_of[row]
        if (
            old >= 0 and new >= 0 and old_label[old] != new_label[new]
            and not (old_segment[old] >= 0 and new_segment[new] >= 0)
        ):
            # The rows of its descendants follow: first those deleted, then those inserted.
            behind, replacing = row + old_end[old] - old, new
            new = -1
        ones[filled], others[filled] = old, new
        filled += 1
    return left[:filled], right[:filled]


def add_votes(left, right, voted, page):
    """Return the columns of a voted tree with the votes of one more page.

    They are label, depth, segment and support of each node, then start, text and pages of the texts.

    Args:
        left: Node of the voted tree in each row of the mapping; -1 = new.
        right: Node of the page in each row; -1 = the page does not have it.
        voted: The `VotedColumns` so far.
        page: The tree of the page.
    """
    tree, texts = voted.tree, voted.texts
    cdef Py_ssize_t row, count = len(left), room = len(texts.text) + len(page.label)
    cdef Py_ssize_t entry, filled = 0
    cdef const int32_t *old_of = <const int32_t *>items(left, 4)
    cdef const int32_t *new_of = <const int32_t *>items(right, 4)
    cdef const uint64_t *old_label = <const uint64_t *>items(tree.label, 8)
    cdef const int32_t *old_depth = <const int32_t *>items(tree.depth, 4)
    cdef const int32_t *old_segment = <const int32_t *>items(tree.segment, 4)
    cdef const int64_t *old_support = <const int64_t *>items(voted.support, 8)
    cdef const int64_t *old_start = <const int64_t *>items(texts.start, 8)
    cdef const uint64_t *old_text = <const uint64_t *>items(texts.text, 8)
    cdef const int64_t *old_pages = <const int64_t *>items(texts.pages, 8)
    cdef const uint64_t *page_label = <const uint64_t *>items(page.label, 8)
    cdef const int32_t *page_depth = <const int32_t *>items(page.depth, 4)
    cdef const int32_t *page_segment = <const int32_t *>items(page.segment, 4)
    cdef int32_t old, new
    cdef int64_t pages, most
    cdef uint64_t lead
    labels, supports = np.empty(count, np.uint64), np.empty(count, np.int64)
    depths, segments = np.empty(count, np.int32), np.empty(count, np.int32)
    starts, names = np.zeros(count + 1, np.int64), np.empty(room, np.uint64)
    pages_with = np.empty(room, np.int64)
    cdef uint64_t *new_label = <uint64_t *>items(labels, 8, True)
    cdef int32_t *new_depth = <int32_t *>items(depths, 4, True)
    cdef int32_t *new_segment = <int32_t *>items(segments, 4, True)
    cdef int64_t *new_support = <int64_t *>items(supports, 8, True)
    cdef int64_t *new_start = <int64_t *>items(starts, 8, True)
    cdef uint64_t *new_text = <uint64_t *>items(names, 8, True)
    cdef int64_t *new_pages = <int64_t *>items(pages_with, 8, True)
    for row in range(count):
        old, new = old_of[row], new_of[row]
        if old >= 0:
            new_label[row], new_depth[row] = old_label[old], old_depth[old]
            new_segment[row] = old_segment[old]
            new_support[row] = old_support[old] + (new >= 0)
            for entry in range(old_start[old], old_start[old + 1]):
                new_text[filled], new_pages[filled] = old_text[entry], old_pages[entry]
                filled += 1
        else:
            new_label[row], new_depth[row] = page_label[new], page_depth[new]
            new_segment[row], new_support[row] = page_segment[new], 1
        new_start[row + 1] = filled
        if new < 0 or page_segment[new] < 0:
            continue
        lead, most, pages = new_label[row], 0, 0
        for entry in range(new_start[row], filled):
            if new_text[entry] == page_label[new]:
                new_pages[entry] += 1
                pages = new_pages[entry]
            if new_text[entry] == lead:
                most = new_pages[entry]
        if not pages:
            new_text[filled], new_pages[filled] = page_label[new], 1
            filled += 1
            pages = 1
            new_start[row + 1] = filled
        if is_better(pages, page_label[new], most, lead):
            new_label[row] = page_label[new]
    return labels, depths, segments, supports, starts, names[:filled], pages_with[:filled]
