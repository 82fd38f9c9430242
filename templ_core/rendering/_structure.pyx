"""What each element of a page stands in."""

from templ_core._arrays cimport items as items_of

import numpy as np

from templ_core.dom._tree import tag_bits

cdef enum:
    TABLE = 7
    ITEM = 8
    PRE = 9


def structure_of(nodes, dict traits):
    """Return what each element stands in, itself included: four columns of length n_nodes.

    Args:
        nodes: The `Nodes` of the page.
        traits: By tag the level of a heading, 1 to 6, TABLE, PRE, or ITEM for a list, a list item or a quotation.

    Returns:
        The level of the heading, 0 = none; the number of the block that is written as a whole, which is a table
        without another one in it or else a `pre`; that of the innermost list, list item or quotation; and that of
        the innermost `pre`, -1 = none.
    """
    element_type, parent = np.ascontiguousarray(nodes.element_type), np.ascontiguousarray(nodes.parent)
    cdef int count = len(parent), node, above, trait
    cdef bint has_block = False
    of_types = tag_bits(nodes.element_types, traits)
    found = np.empty((4, count), np.int32)
    cdef const int *of_type = <const int *>items_of(of_types, 4)
    cdef const int *types = <const int *>items_of(element_type, 4)
    cdef const int *parents = <const int *>items_of(parent, 4)
    cdef int *level = <int *>items_of(found, 4, True)
    cdef int *block = level + count
    cdef int *item = block + count
    cdef int *pre = item + count
    for node in range(count):
        above = parents[node]
        trait = of_type[types[node]]
        level[node] = level[above] if above >= 0 else 0
        block[node] = block[above] if above >= 0 else -1
        item[node] = item[above] if above >= 0 else -1
        pre[node] = pre[above] if above >= 0 else -1
        if trait == TABLE:
            block[node] = node
        elif trait == PRE:
            pre[node] = node
        elif trait == ITEM:
            item[node] = node
        elif trait:
            level[node] = trait
        has_block |= trait == TABLE or trait == PRE
    if not has_block:
        return found
    # So far a block is the innermost table. Tables around others are marked by being in no block themselves.
    for node in range(count):
        above = parents[node]
        if block[node] == node and above >= 0 and block[above] >= 0:
            block[block[above]] = -1
    for node in range(count):
        if block[node] >= 0 and block[block[node]] != block[node]:
            block[node] = -1
        if block[node] < 0:
            block[node] = pre[node]
    return found


def caption_types(list element_types):
    """Return whether each element type is that of a caption: a `figcaption`, or one with that word in its attributes."""
    cdef Py_ssize_t number
    cdef str attributes
    found = np.zeros(len(element_types), np.bool_)
    cdef unsigned char *is_caption = <unsigned char *>items_of(found, 1, True)
    for number in range(len(element_types)):
        attributes = (<tuple>element_types[number])[1]
        is_caption[number] = (<tuple>element_types[number])[0] == "figcaption" or (
            len(attributes) > 0 and "caption" in attributes
        )
    return found
