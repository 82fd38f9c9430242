# Fields of the parser's nodes.

from libc.string cimport strchr, strcmp, strlen, strstr
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_ELEMENT_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlNode,
)

from templ_core._byte_string cimport Text, put


cdef inline bint is_text(xmlNode *node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline bint _is(xmlAttr *attribute, const char *name) noexcept:
    return attribute.ns == NULL and strcmp(<const char *>attribute.name, name) == 0


cdef inline const char *value_of(xmlAttr *attribute) noexcept:
    if attribute.children == NULL or attribute.children.content == NULL:
        return ""
    return <const char *>attribute.children.content


cdef inline const char *attribute_of(xmlNode *element, const char *name) noexcept:
    """The value of an attribute, empty without one."""
    cdef xmlAttr *attribute = element.properties
    while attribute != NULL:
        if _is(attribute, name):
            return value_of(attribute)
        attribute = attribute.next
    return ""


cdef inline char small(char letter) noexcept:
    return letter + 32 if c"A" <= letter <= c"Z" else letter


cdef inline bint is_plain(const char *text) noexcept:
    """Whether the text is ASCII without upper case."""
    while text[0]:
        if text[0] & 0x80 or c"A" <= text[0] <= c"Z":
            return False
        text += 1
    return True


cdef inline int put_text(Text *found, xmlNode *element) except -1:
    """All text inside an element."""
    cdef xmlNode *child = element.children
    while child != NULL:
        if is_text(child) and child.content != NULL:
            put(found, <const char *>child.content, strlen(<const char *>child.content))
        elif child.type == XML_ELEMENT_NODE:
            put_text(found, child)
        child = child.next
    return 0


cdef inline bint is_elsewhere(const char *href, bytes host_name) except -1:
    """Whether an address names another host."""
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
        if small(start[place]) != host[place]:
            return True
    return False
