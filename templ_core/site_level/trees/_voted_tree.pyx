"""Votes for the nodes of a tree and for their texts; see voted_tree.py.

The texts of node i are rows start[i] .. start[i + 1] - 1 of the columns `text` and `text_pages`.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items


cdef inline bint is_better(int64_t pages, uint64_t text, int64_t most, uint64_t lead) noexcept:
    """Whether a text is on more pages than the lead text, or as many and smaller."""
    return pages > most or (pages == most and text < lead)


def split_replaced(left, right, label, end, segment, page_label, page_segment):
    """The rows of a mapping with nodes deleted and inserted for replaced ones that are not both text."""
    cdef Py_ssize_t row, count = len(left), filled = 0, behind = -1
    cdef const int32_t *old_of = <const int32_t *>items(left, 4)
    cdef const int32_t *new_of = <const int32_t *>items(right, 4)
    cdef const uint64_t *old_label = <const uint64_t *>items(label, 8)
    cdef const uint64_t *new_label = <const uint64_t *>items(page_label, 8)
    cdef const int32_t *old_end = <const int32_t *>items(end, 4)
    cdef const int32_t *old_segment = <const int32_t *>items(segment, 4)
    cdef const int32_t *new_segment = <const int32_t *>items(page_segment, 4)
    cdef int32_t old, new, replacing = -1
    columns = np.empty((2, 2 * count), np.int32)
    cdef int32_t *ones = <int32_t *>items(columns, 4, True)
    cdef int32_t *others = ones + 2 * count
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
            # Its descendants follow: all deleted, then all inserted.
            behind, replacing = row + old_end[old] - old, new
            new = -1
        ones[filled], others[filled] = old, new
        filled += 1
    return columns[0, :filled], columns[1, :filled]


def add_vote(
    left, right, label, depth, segment, support, number, start, text, text_pages,
    page_label, page_depth, page_segment, int64_t next_number,
):
    """Tree, support, numbers and texts with a page's vote; the vote; the next number."""
    cdef Py_ssize_t row, count = len(left), texts_before = len(text), added = len(page_label)
    cdef Py_ssize_t entry, filled = 0, nodes = 0, leaves = 0
    cdef const int32_t *old_of = <const int32_t *>items(left, 4)
    cdef const int32_t *new_of = <const int32_t *>items(right, 4)
    cdef const uint64_t *old_label = <const uint64_t *>items(label, 8)
    cdef const int32_t *old_depth = <const int32_t *>items(depth, 4)
    cdef const int32_t *old_segment = <const int32_t *>items(segment, 4)
    cdef const int64_t *old_support = <const int64_t *>items(support, 8)
    cdef const int64_t *old_number = <const int64_t *>items(number, 8)
    cdef const int64_t *old_start = <const int64_t *>items(start, 8)
    cdef const uint64_t *old_text = <const uint64_t *>items(text, 8)
    cdef const int64_t *old_pages = <const int64_t *>items(text_pages, 8)
    cdef const uint64_t *voted_label = <const uint64_t *>items(page_label, 8)
    cdef const int32_t *voted_depth = <const int32_t *>items(page_depth, 4)
    cdef const int32_t *voted_segment = <const int32_t *>items(page_segment, 4)
    cdef int32_t old, new
    cdef int64_t pages, most
    cdef uint64_t lead
    hashes, counts = np.empty(count, np.uint64), np.empty((2, count), np.int64)
    places, starts = np.empty((2, count), np.int32), np.zeros(count + 1, np.int64)
    texts = np.empty(texts_before + added, np.uint64)
    pages_with = np.empty(texts_before + added, np.int64)
    numbers, voted = np.empty((2, added), np.int64), np.empty(added, np.uint64)
    cdef uint64_t *new_label = <uint64_t *>items(hashes, 8, True)
    cdef int32_t *new_depth = <int32_t *>items(places, 4, True)
    cdef int32_t *new_segment = new_depth + count
    cdef int64_t *new_support = <int64_t *>items(counts, 8, True)
    cdef int64_t *new_number = new_support + count
    cdef int64_t *new_start = <int64_t *>items(starts, 8, True)
    cdef uint64_t *new_text = <uint64_t *>items(texts, 8, True)
    cdef int64_t *new_pages = <int64_t *>items(pages_with, 8, True)
    cdef int64_t *vote_node = <int64_t *>items(numbers, 8, True)
    cdef int64_t *vote_leaf = vote_node + added
    cdef uint64_t *vote_text = <uint64_t *>items(voted, 8, True)
    for row in range(count):
        old, new = old_of[row], new_of[row]
        if old >= 0:
            new_label[row], new_depth[row] = old_label[old], old_depth[old]
            new_segment[row], new_number[row] = old_segment[old], old_number[old]
            new_support[row] = old_support[old] + (new >= 0)
            for entry in range(old_start[old], old_start[old + 1]):
                new_text[filled], new_pages[filled] = old_text[entry], old_pages[entry]
                filled += 1
        else:
            new_label[row], new_depth[row] = voted_label[new], voted_depth[new]
            new_segment[row], new_number[row] = voted_segment[new], next_number
            new_support[row] = 1
            next_number += 1
        new_start[row + 1] = filled
        if new < 0:
            continue
        vote_node[nodes] = new_number[row]
        nodes += 1
        if voted_segment[new] < 0:
            continue
        vote_leaf[leaves], vote_text[leaves] = new_number[row], voted_label[new]
        leaves += 1
        lead, most, pages = new_label[row], 0, 0
        for entry in range(new_start[row], filled):
            if new_text[entry] == voted_label[new]:
                new_pages[entry] += 1
                pages = new_pages[entry]
            if new_text[entry] == lead:
                most = new_pages[entry]
        if not pages:
            new_text[filled], new_pages[filled] = voted_label[new], 1
            filled += 1
            pages = 1
            new_start[row + 1] = filled
        if is_better(pages, voted_label[new], most, lead):
            new_label[row] = voted_label[new]
    tree, new_texts = (hashes, places[0], places[1]), (starts, texts[:filled], pages_with[:filled])
    vote = numbers[0, :nodes], numbers[1, :leaves], voted[:leaves]
    return tree, counts[0], counts[1], new_texts, vote, next_number


def take_texts(
    const int64_t[::1] start, uint64_t[::1] text, int64_t[::1] text_pages,
    uint64_t[::1] label, const int64_t[::1] places, const uint64_t[::1] taken,
):
    """Take one page from each of these texts at its place; the lead text of a place may change.

    Texts without pages stay in their rows.
    """
    cdef Py_ssize_t number, entry, place
    cdef int64_t most
    for number in range(places.shape[0]):
        place, most = places[number], 0
        for entry in range(start[place], start[place + 1]):
            if text[entry] == taken[number]:
                text_pages[entry] -= 1
            if text_pages[entry] and is_better(text_pages[entry], text[entry], most, label[place]):
                most, label[place] = text_pages[entry], text[entry]


def kept_texts(
    const int64_t[::1] start, const uint64_t[::1] text, const int64_t[::1] text_pages,
    const unsigned char[::1] kept,
):
    """The texts of the nodes kept that are on a page: start, text and pages."""
    cdef Py_ssize_t node, entry, filled = 0, nodes = 0
    starts, texts = np.zeros(kept.shape[0] + 1, np.int64), np.empty(text.shape[0], np.uint64)
    pages = np.empty(text.shape[0], np.int64)
    cdef int64_t[::1] new_start = starts, new_pages = pages
    cdef uint64_t[::1] new_text = texts
    for node in range(kept.shape[0]):
        if not kept[node]:
            continue
        for entry in range(start[node], start[node + 1]):
            if text_pages[entry]:
                new_text[filled], new_pages[filled] = text[entry], text_pages[entry]
                filled += 1
        nodes += 1
        new_start[nodes] = filled
    return starts[: nodes + 1], texts[:filled], pages[:filled]


def recurring_texts(
    const int64_t[::1] start, const uint64_t[::1] text, const int64_t[::1] text_pages, int most
):
    """Place, text and pages of the texts on several pages, of each place the first `most`."""
    cdef Py_ssize_t place, entry, row, first, filled = 0, size = 0
    for entry in range(text.shape[0]):
        size += text_pages[entry] > 1
    texts, (places, pages) = np.empty(size, np.uint64), np.empty((2, size), np.int64)
    cdef int64_t[::1] at = places, new_pages = pages
    cdef uint64_t[::1] new_text = texts
    for place in range(start.shape[0] - 1):
        first = filled
        for entry in range(start[place], start[place + 1]):
            if text_pages[entry] < 2:
                continue
            row = filled
            while row > first and is_better(
                text_pages[entry], text[entry], new_pages[row - 1], new_text[row - 1]
            ):
                row -= 1
            if row == first + most:
                continue
            if filled < first + most:
                at[filled] = place
                filled += 1
            for size in range(filled - 1, row, -1):
                new_text[size], new_pages[size] = new_text[size - 1], new_pages[size - 1]
            new_text[row], new_pages[row] = text[entry], text_pages[entry]
    return places[:filled], texts[:filled], pages[:filled]
