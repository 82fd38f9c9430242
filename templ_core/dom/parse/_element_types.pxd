# Numbers of a page's element types: the different pairs of a tag and its attributes.

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport free
from libc.string cimport memcpy, strlen

from templ_core._byte_string cimport Text, put, resized
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core.dom.parse._attribute_table cimport ID, ITEMPROP


cdef struct ElementTypes:
    Interner numbers        # of the tag's number, and the attributes, each ended by a line feed
    int *bare               # the type of each tag without attributes; -1 = none yet
    int tags
    Text key


cdef inline int element_types_begin(ElementTypes *types) except -1:
    types.bare, types.tags = NULL, 0
    types.key = Text(NULL, 0, 0)
    return interner_begin(&types.numbers)


cdef inline void element_types_end(ElementTypes *types) noexcept:
    interner_end(&types.numbers)
    free(types.bare)
    free(types.key.bytes)


cdef inline int element_type_of(ElementTypes *types, int tag, const char **values) except -1:
    """Return the number of the type of an element.

    Args:
        types: The page's element types.
        tag: Number of the tag.
        values: The attributes by their numbers; NULL = the element has no such attribute.
    """
    cdef int number
    for number in range(ID, ITEMPROP + 1):
        if values[number] != NULL and values[number][0]:
            break
    else:
        return _bare_type_of(types, tag)
    types.key.size = 0
    put(&types.key, <const char *>&tag, sizeof(tag))
    for number in range(ID, ITEMPROP + 1):
        if values[number] != NULL:
            put(&types.key, values[number], strlen(values[number]))
        put(&types.key, "\n", 1)
    return interner_number(&types.numbers, types.key.bytes, types.key.size)


cdef inline int _bare_type_of(ElementTypes *types, int tag) except -1:
    if tag >= types.tags:
        types.bare = <int *>resized(types.bare, 2 * (tag + 1) * sizeof(int))
        while types.tags < 2 * (tag + 1):
            types.bare[types.tags] = -1
            types.tags += 1
    if types.bare[tag] < 0:
        types.bare[tag] = interner_number(&types.numbers, <const char *>&tag, sizeof(tag))
    return types.bare[tag]


cdef inline list element_type_names(const ElementTypes *types, list tag_names):
    """Return the tag and the attributes of each element type."""
    cdef list pairs = []
    cdef const Interner *numbers = &types.numbers
    cdef Py_ssize_t start = 0
    cdef int tag, number
    for number in range(numbers.count):
        memcpy(&tag, numbers.text.bytes + start, sizeof(tag))
        start += sizeof(tag)
        attributes = PyUnicode_DecodeUTF8(
            numbers.text.bytes + start, numbers.ends[number] - start, NULL
        )
        pairs.append((tag_names[tag], attributes))
        start = numbers.ends[number]
    return pairs
