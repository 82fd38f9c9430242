# What `flatten` knows of the attributes of an element, whether the parser read them or the
# attribute table carries them.

from libc.string cimport strlen

from templ_core._byte_string cimport resized
from templ_core.dom.parse._addresses cimport SAME_SITE
from templ_core.dom.parse._attribute_table cimport ATTRIBUTE_COUNT


cdef struct ElementAttributes:
    const char *values[ATTRIBUTE_COUNT]     # by number; NULL = the element has no such attribute
    bint hidden                             # whether they hide the element
    int link_target
    int tag, element_type                   # of the last element that had them; -1 = none yet


cdef struct Entries:
    ElementAttributes *items
    int count, room


cdef inline void no_attributes(ElementAttributes *attributes) noexcept:
    """Make it the attributes of an element that has none."""
    cdef int number
    for number in range(ATTRIBUTE_COUNT):
        attributes.values[number] = NULL
    attributes.hidden, attributes.link_target, attributes.tag = False, SAME_SITE, -1


cdef inline int read_entries(Entries *entries, const char *at, Py_ssize_t size) except -1:
    """Read the entries of an attribute table; their values stay where they are."""
    cdef const char *end = at + size
    cdef ElementAttributes *one
    cdef int number
    while at < end:
        if entries.count == entries.room:
            entries.room = 2 * entries.room + 128
            entries.items = <ElementAttributes *>resized(
                entries.items, entries.room * sizeof(ElementAttributes)
            )
        one = &entries.items[entries.count]
        entries.count += 1
        no_attributes(one)
        while at[0]:
            number = at[0]
            one.values[number] = at + 1
            at += strlen(at + 1) + 2
        at += 1
    return 0
