"""The sweep over the intervals of a suffix array, see `templ_core.lab.papers.foschini.phrases`."""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

from templ_core._arrays cimport items


def sweep(common_column, document_column, change_column, Py_ssize_t documents, int documents_min):
    """Return the first rank, the length and the documents of each maximal interval; (3, found).

    Intervals come in the order of their ends, the inner ones first.

    Args:
        common_column: Tokens that rank r shares with rank r - 1, one entry more than ranks, 0 at both
            ends; int32.
        document_column: Number of each rank's document; int32.
        change_column: Whether what stands before a rank's suffix makes it maximal together with the
            rank before it; truth values.
        documents: Number of documents.
        documents_min: Intervals of fewer documents are left out.
    """
    cdef Py_ssize_t ranks = len(document_column), rank, depth = 0, found = 0
    cdef Py_ssize_t low, high, middle
    cdef const int32_t *common = <const int32_t *>items(common_column, 4)
    cdef const int32_t *document = <const int32_t *>items(document_column, 4)
    cdef const uint8_t *changes = <const uint8_t *>items(change_column, 1)
    # A stack of the intervals that are open: where each begins, its length, the changes up to its
    # first rank, and how many of its ranks have an earlier rank of their document in it.
    stack = np.zeros((4, ranks + 2), np.int32)
    cdef int32_t *left = <int32_t *>items(stack, 4, True)
    cdef int32_t *length = left + ranks + 2
    cdef int32_t *change_at_left = length + ranks + 2
    cdef int32_t *repeated = change_at_left + ranks + 2
    last_rank = np.full(documents, -1, np.int32)
    cdef int32_t *last = <int32_t *>items(last_rank, 4, True)
    rows = np.empty((3, max(ranks, 1)), np.int32)
    cdef int32_t *row = <int32_t *>items(rows, 4, True)
    cdef Py_ssize_t room = max(ranks, 1)
    cdef int32_t begun, begun_changes, carried, before, changed = 0, documents_of_it
    for rank in range(ranks + 1):
        begun, begun_changes, carried = <int32_t>(rank - 1), changed, 0
        while length[depth] > common[rank]:
            repeated[depth] += carried
            documents_of_it = <int32_t>rank - left[depth] - repeated[depth]
            if documents_of_it >= documents_min and changed > change_at_left[depth]:
                row[found] = left[depth]
                row[room + found] = length[depth]
                row[2 * room + found] = documents_of_it
                found += 1
            begun, begun_changes, carried = left[depth], change_at_left[depth], repeated[depth]
            depth -= 1
        if length[depth] < common[rank]:
            depth += 1
            left[depth], length[depth] = begun, common[rank]
            change_at_left[depth], repeated[depth] = begun_changes, 0
        repeated[depth] += carried
        if rank == ranks:
            break
        changed += changes[rank]
        before = last[document[rank]]
        last[document[rank]] = <int32_t>rank
        if before < 0 or depth == 0:
            continue
        low, high = 0, depth        # the smallest open interval that reaches down to `before`
        while low < high:
            middle = (low + high + 1) >> 1
            if left[middle] <= before:
                low = middle
            else:
                high = middle - 1
        repeated[low] += 1
    return rows[:, :found].copy()
