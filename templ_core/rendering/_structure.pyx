"""What text stands in, and how much of the text around an element is kept."""

from templ_core._arrays cimport items as items_of

import numpy as np

cdef enum:
    BLOCK = 7
    ITEM = 8


def numbers_of_types(list element_types, dict values):
    """Return a number for each element type by its tag, 0 for tags without one, and a last 0.

    Args:
        element_types: Pairs of tag and attributes.
        values: Numbers by tag.
    """
    found = np.zeros(len(element_types) + 1, np.int32)
    cdef int *items = <int *>items_of(found, 4, True)
    cdef Py_ssize_t number
    cdef tuple one
    for number in range(len(element_types)):
        one = <tuple>element_types[number]
        value = values.get(one[0])
        if value is not None:
            items[number] = value
    return found


def structure_of(list element_types, dict traits, element_type, parent):
    """Return what each element stands in, itself included: three columns of length n_nodes.

    Args:
        element_types: Pairs of tag and attributes.
        traits: By tag the level of a heading, 1 to 6, BLOCK for a table or `pre`, ITEM for a list, a list
            item or a quotation.
        element_type: Number of each element's type.
        parent: Number of each element's parent; -1 = none.

    Returns:
        The level of the heading, 0 = none; the number of the innermost table or `pre`; and that of the
        innermost list, list item or quotation, -1 = none.
    """
    cdef int count = len(parent), node, above, trait
    of_types = numbers_of_types(element_types, traits)
    found = np.empty((3, count), np.int32)
    cdef const int *of_type = <const int *>items_of(of_types, 4)
    cdef const int *types = <const int *>items_of(element_type, 4)
    cdef const int *parents = <const int *>items_of(parent, 4)
    cdef int *level = <int *>items_of(found, 4, True)
    cdef int *block = level + count
    cdef int *item = block + count
    for node in range(count):
        above = parents[node]
        trait = of_type[types[node]]
        level[node] = level[above] if above >= 0 else 0
        block[node] = block[above] if above >= 0 else -1
        item[node] = item[above] if above >= 0 else -1
        if trait == BLOCK:
            block[node] = node
        elif trait == ITEM:
            item[node] = node
        elif trait:
            level[node] = trait
    return found


cdef class KeptShare:
    """How much of the text around an element is kept.

    Args:
        parent: Number of each element's parent; -1 = none.
        end: End of each element's subtree.
        inline_from: That column of the segments.
        owner: That column of the segments.
        chars: Characters of each segment.
        kept: Whether each segment stays, as 0 or 1.
    """

    cdef readonly tuple columns
    cdef const int *parent
    cdef const int *end
    cdef const int *inline_from
    cdef const int *owner
    cdef const int *whole
    cdef const int *kept
    cdef int segments

    def __init__(self, parent, end, inline_from, owner, chars, kept):
        whole = np.concatenate([[0], np.cumsum(chars)]).astype(np.int32)
        of_kept = np.concatenate([[0], np.cumsum(chars * kept)]).astype(np.int32)
        self.segments = len(owner)
        if not self.segments:
            inline_from = owner = np.zeros(1, np.int32)
        self.columns = (parent, end, inline_from, owner, whole, of_kept)
        self.parent = <const int *>items_of(parent, 4)
        self.end = <const int *>items_of(end, 4)
        self.inline_from = <const int *>items_of(inline_from, 4)
        self.owner = <const int *>items_of(owner, 4)
        self.whole = <const int *>items_of(whole, 4)
        self.kept = <const int *>items_of(of_kept, 4)

    cpdef double around(self, int node) noexcept:
        """Return the kept share of the text in the smallest element around a node that has text."""
        cdef int first, last
        node = self.parent[node]
        while node >= 0:
            first, last = self._behind(node), self._behind(self.end[node])
            while last > first and not node <= self.owner[last - 1] < self.end[node]:
                last -= 1
            if self.whole[last] > self.whole[first]:
                return (self.kept[last] - self.kept[first]) / <double>(
                    self.whole[last] - self.whole[first]
                )
            node = self.parent[node]
        return 0

    cdef int _behind(self, int node) noexcept:
        """Return the first segment that begins behind the start of so many elements."""
        cdef int low = 0, high = self.segments, middle
        while low < high:
            middle = (low + high) // 2
            if self.inline_from[middle] > node:
                high = middle
            else:
                low = middle + 1
        return low
