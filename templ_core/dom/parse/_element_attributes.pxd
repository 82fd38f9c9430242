# What `flatten` knows of the attributes of an element, whether the parser read them or the
# attribute table carries them.

from libc.string cimport strchr, strlen, strncmp, strstr

from templ_core._byte_string cimport resized
from templ_core.dom.parse._attribute_table cimport ATTRIBUTE_COUNT

cdef enum:
    SAME_SITE, OTHER_SITE, SAME_PAGE        # where a link leads


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


cdef inline int link_target(const char *href, bytes host) except -1:
    """Return where an address leads from a page of this host."""
    if not (strncmp(href, "http:", 5) and strncmp(href, "https:", 6) and strncmp(href, "//", 2)):
        return OTHER_SITE if _is_other_host(href, host) else SAME_SITE
    if href[0] == c"#" or not strncmp(href, "javascript:", 11):
        return SAME_PAGE
    return SAME_SITE


cdef inline bint _is_other_host(const char *href, bytes host_name) except -1:
    """Return whether an address names another host."""
    cdef const char *start = strstr(href, "//")
    cdef const char *host = host_name
    cdef Py_ssize_t size = 0, place
    if start != NULL:
        start += 2
        size = strlen(start) if strchr(start, c"/") == NULL else strchr(start, c"/") - start
    for place in range(size):
        if start[place] & 0x80:
            return start[:size].decode().lower().encode() != host_name
    if size != len(host_name):
        return True
    for place in range(size):
        if _lower(start[place]) != host[place]:
            return True
    return False


cdef inline char _lower(char letter) noexcept:
    return letter + 32 if c"A" <= letter <= c"Z" else letter
