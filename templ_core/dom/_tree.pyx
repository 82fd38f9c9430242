"""Loops over trees whose nodes are columns in document order."""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.string cimport memset, strstr

import numpy as np

from templ_core._arrays cimport items
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number

cdef enum:
    SLOTS = 128                 # for the tags of a page; a power of two


def tree_of_depths(depth_column):
    """Return the parents (-1 for nodes of depth 0) and the ends (exclusive) of the subtrees of a tree's nodes.

    Args:
        depth_column: Depth of each node in document order. The first is 0, and no node is more than one
            deeper than the node before it.
    """
    cdef Py_ssize_t count = len(depth_column), node, open_node = -1
    cdef const int *depth = <const int *>items(depth_column, 4)
    parents, ends = np.empty(count, np.int32), np.empty(count, np.int32)
    cdef int *parent = <int *>items(parents, 4, True)
    cdef int *end = <int *>items(ends, 4, True)
    for node in range(count):
        while open_node >= 0 and depth[open_node] >= depth[node]:
            end[open_node] = <int>node
            open_node = parent[open_node]
        parent[node] = <int>open_node
        open_node = node
    while open_node >= 0:
        end[open_node] = <int>count
        open_node = parent[open_node]
    return parents, ends


def sums_above(end_column, value_column):
    """Return the sum of the values over each node's ancestors, the node included; length n_nodes.

    Args:
        end_column: End of the subtree of each node, which are in document order.
        value_column: A number for each node.
    """
    cdef Py_ssize_t count = len(end_column), node
    cdef const int *end = <const int *>items(end_column, 4)
    sums, closing = np.array(value_column, np.float64), np.zeros(count + 1)
    cdef double *value = <double *>items(sums, 8, True)
    cdef double *closed = <double *>items(closing, 8, True)
    cdef double above = 0
    for node in range(count):
        above -= closed[node]
        closed[end[node]] += value[node]
        above += value[node]
        value[node] = above
    return sums


def bits_above(parent_column, type_column, bits_column, at_column):
    """Return, for each node in `at_column`, the bits of the types of it and all its ancestors."""
    cdef Py_ssize_t count = len(parent_column), places = len(at_column), node
    cdef const int *parent = <const int *>items(parent_column, 4)
    cdef const int *element_type = <const int *>items(type_column, 4)
    cdef const int *bits = <const int *>items(bits_column, 4)
    cdef const int *at = <const int *>items(at_column, 4)
    node_bits, found = np.empty(count, np.int32), np.empty(places, np.int32)
    cdef int *own = <int *>items(node_bits, 4, True)
    cdef int *result = <int *>items(found, 4, True)
    for node in range(count):
        own[node] = bits[element_type[node]]
        if parent[node] >= 0:
            own[node] |= own[parent[node]]
    for node in range(places):
        result[node] = own[at[node]]
    return found


def tag_bits(list element_types, dict bits_of_tags):
    """Return the bits of each element type's tag; 0 for tags without bits.

    Equal tags are mostly one object, whose bits are looked up once.
    """
    cdef const void *seen[SLOTS]
    cdef int[SLOTS] known
    cdef Py_ssize_t number, slot
    result = np.empty(len(element_types), np.int32)
    cdef int *of_type = <int *>items(result, 4, True)
    memset(seen, 0, sizeof(seen))
    for number in range(len(element_types)):
        tag = (<tuple>element_types[number])[0]
        slot = (<uintptr_t><void *>tag >> 4 ^ <uintptr_t><void *>tag >> 11) & (SLOTS - 1)
        if seen[slot] != <void *>tag:
            seen[slot], known[slot] = <void *>tag, bits_of_tags.get(tag, 0)
        of_type[number] = known[slot]
    return result


def types_with_name(list element_types, tuple names):
    """Return the numbers of the element types in whose attributes one of some names stands between blanks or hyphens.

    Args:
        element_types: The pairs of `Nodes.element_types`.
        names: ASCII names in lower case.
    """
    cdef Py_ssize_t number
    cdef const char *attributes
    cdef list found = [], wanted = [name.encode() for name in names]
    for number in range(len(element_types)):
        attributes = PyUnicode_AsUTF8AndSize((<tuple>element_types[number])[1], NULL)
        if not attributes[0]:
            continue
        for name in wanted:
            if _has_name(attributes, <bytes>name):
                found.append(number)
                break
    return found


cdef bint _has_name(const char *attributes, bytes name) noexcept:
    cdef const char *at = strstr(attributes, name)
    cdef Py_ssize_t size = len(name)
    while at != NULL:
        if (at == attributes or _parts(at[-1])) and _parts(at[size]):
            return True
        at = strstr(at + 1, name)
    return False


cdef inline bint _parts(char byte) noexcept:
    """Return whether a byte ends a name; all attributes end with a line feed."""
    return byte == c" " or byte == c"-" or byte == c"_" or byte == c"\n" or byte == c"\t" or not byte


def has_bits(bits_column, masks):
    """Return for each mask whether each item has a bit of it, in one column for each mask."""
    cdef Py_ssize_t count = len(bits_column), item, column = 0
    cdef const int *bits = <const int *>items(bits_column, 4)
    cdef int mask
    found = np.empty((len(masks), count), np.bool_)
    cdef unsigned char *result = <unsigned char *>items(found, 1, True)
    for mask in masks:
        for item in range(count):
            result[column * count + item] = bits[item] & mask != 0
        column += 1
    return found


def last_with_bits(bits_column, int mask):
    """Return the number of the last item with a bit of `mask` before each item; -1 for none."""
    cdef Py_ssize_t count = len(bits_column), item
    cdef const int *bits = <const int *>items(bits_column, 4)
    found = np.empty(count, np.int64)
    cdef int64_t *result = <int64_t *>items(found, 8, True)
    cdef int64_t last = -1
    for item in range(count):
        result[item] = last
        if bits[item] & mask:
            last = item
    return found


def only_h1(list element_types, type_column, parent_column, owner_column):
    """Return the first segment of the only `h1` of a page that has text, and the one behind its last; equal if there is none.

    Args:
        element_types: Pairs of tag and attributes.
        type_column: Number of each node's element type.
        parent_column: Parent of each node, -1 for none.
        owner_column: Number of the node that holds each segment.
    """
    cdef Py_ssize_t node, segment, above, first = 0, behind = 0, found = -1
    cdef Py_ssize_t types = len(element_types), nodes = len(type_column)
    cdef const int *type_of = <const int *>items(type_column, 4)
    cdef const int *parent = <const int *>items(parent_column, 4)
    cdef const int *owner = <const int *>items(owner_column, 4)
    cdef bint has_any = False
    flags, around = np.zeros(types, np.bool_), np.empty(nodes, np.int32)
    cdef uint8_t *is_h1 = <uint8_t *>items(flags, 1, True)
    cdef int *h1_around = <int *>items(around, 4, True)     # the `h1` that each node is in; -1 = none
    for node in range(types):
        is_h1[node] = (<tuple>element_types[node])[0] == "h1"
        has_any |= is_h1[node]
    if not has_any:
        return 0, 0
    for node in range(nodes):
        above = parent[node]
        h1_around[node] = h1_around[above] if above >= 0 else -1
        if is_h1[type_of[node]]:
            h1_around[node] = <int>node
    for segment in range(len(owner_column)):
        node = h1_around[owner[segment]]
        if node < 0:
            continue
        if found < 0:
            found, first = node, segment
        elif node != found:
            return 0, 0
        behind = segment + 1
    return first, behind


def table_of_side(list pairs, Py_ssize_t side):
    """Return the different texts on one side of some pairs in order, and the number of each pair's.

    Args:
        pairs: Pairs of texts.
        side: 0 or 1.
    """
    cdef Py_ssize_t at
    cdef dict number_of = {}
    numbers = np.empty(len(pairs), np.int64)
    cdef int64_t *number = <int64_t *>items(numbers, 8, True)
    for at in range(len(pairs)):
        text = (<tuple>pairs[at])[side]
        known = number_of.get(text)
        if known is None:
            known = number_of[text] = len(number_of)
        number[at] = known
    return list(number_of), numbers


def pairs_in_order(list tags, list attributes, tag_column, attribute_column):
    """Return the different pairs in order of their first nodes, and the number of each node's pair.

    Args:
        tags: A table of tags.
        attributes: A table of attributes.
        tag_column: Index of each node's tag in its table.
        attribute_column: Index of each node's attributes in their table.
    """
    cdef Py_ssize_t count = len(tag_column), node
    cdef const int *tag = <const int *>items(tag_column, 4)
    cdef const int *own = <const int *>items(attribute_column, 4)
    cdef int[2] pair
    cdef list pairs = []
    numbers = np.empty(count, np.int32)
    cdef int *number = <int *>items(numbers, 4, True)
    cdef Interner known
    interner_begin(&known)
    try:
        for node in range(count):
            pair[0], pair[1] = tag[node], own[node]
            number[node] = interner_number(&known, <const char *>pair, sizeof(pair))
            if number[node] == len(pairs):
                pairs.append((tags[pair[0]], attributes[pair[1]]))
    finally:
        interner_end(&known)
    return pairs, numbers
