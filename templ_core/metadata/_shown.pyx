"""Finds the texts of the elements of some types for `templ_core.metadata.shown`."""

from libc.limits cimport INT_MAX
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from templ_core._arrays cimport items


def segments_within(document, list types, int elements_max, int texts_max, int times_max=INT_MAX):
    """Return the numbers of the first segments inside the first elements of some types.

    Args:
        document: The page.
        types: Numbers of element types.
        elements_max: Number of elements that are looked at.
        texts_max: Number of segments of an element that are looked at.
        times_max: Types of which the page has more elements are left out.

    Returns:
        A list for each element, in order.
    """
    nodes, segments = document.nodes, document.segments
    cdef const int32_t *type_of = <const int32_t *>items(nodes.element_type, 4)
    cdef const int32_t *end_of = <const int32_t *>items(nodes.end, 4)
    cdef const int32_t *owner = <const int32_t *>items(segments.owner, 4)
    cdef const int32_t *inline_from = <const int32_t *>items(segments.inline_from, 4)
    cdef const int32_t *inline_to = <const int32_t *>items(segments.inline_to, 4)
    cdef Py_ssize_t count = len(nodes.element_type), last = len(segments.texts)
    cdef Py_ssize_t node, at, first = 0, number
    cdef list found = [], within
    cdef int *left = <int *>calloc(len(nodes.element_types) + 1, sizeof(int))
    if left == NULL:
        raise MemoryError
    try:
        for number in types:
            left[number] = times_max
        for node in range(count):
            left[type_of[node]] -= 1
        for node in range(count):
            # Types that are not wanted have begun at 0.
            if left[type_of[node]] < 0:
                continue
            if len(found) == elements_max:
                break
            while first < last and inline_to[first] <= node:
                first += 1
            # A segment belongs to a block inside the element, or holds the element as an inline one.
            within = []
            for at in range(first, last):
                if inline_from[at] > end_of[node] or len(within) == texts_max:
                    break
                if node <= owner[at] < end_of[node] or (owner[at] < node and inline_from[at] <= node):
                    within.append(at)
            found.append(within)
    finally:
        free(left)
    return found


def types_with_tags(list element_types, frozenset tags):
    """Return the numbers of the element types with one of some tags."""
    cdef Py_ssize_t number
    return [number for number in range(len(element_types)) if element_types[number][0] in tags]
