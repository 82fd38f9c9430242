# Reading the nodes of the parser's tree (libxml2).

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free
from libc.string cimport strcmp, strlen
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_ELEMENT_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlNode,
)

from templ_core._byte_string cimport Text, put

cdef enum:
    NAMES = 256             # a power of two


cdef struct NameNumbers:
    # A cache of numbers of names. libxml2 keeps one copy of each name of a page, so the address of
    # a name stands for the name.
    const void *address[NAMES]
    int number[NAMES]


cdef inline int slot_of_name(const void *address) noexcept:
    return <int>((<uintptr_t>address >> 3 ^ <uintptr_t>address >> 11) & (NAMES - 1))


cdef inline bint is_text(xmlNode *node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline bint is_named(xmlAttr *attribute, const char *name) noexcept:
    return attribute.ns == NULL and strcmp(<const char *>attribute.name, name) == 0


cdef inline const char *value_of(xmlAttr *attribute) noexcept:
    if attribute.children == NULL or attribute.children.content == NULL:
        return ""
    return <const char *>attribute.children.content


cdef inline bint is_ascii_lower(const char *text) noexcept:
    """Return whether the text is ASCII without upper case."""
    while text[0]:
        if text[0] & 0x80 or c"A" <= text[0] <= c"Z":
            return False
        text += 1
    return True


cdef inline int _put_text(Text *found, xmlNode *element) except -1:
    """Add all text inside an element to `found`."""
    cdef xmlNode *child = element.children
    while child != NULL:
        if is_text(child) and child.content != NULL:
            put(found, <const char *>child.content, strlen(<const char *>child.content))
        elif child.type == XML_ELEMENT_NODE:
            _put_text(found, child)
        child = child.next
    return 0


cdef inline const char *attribute_of(xmlNode *element, const char *name) noexcept:
    """Return the value of an attribute, or an empty string without one."""
    cdef xmlAttr *attribute = element.properties
    while attribute != NULL:
        if is_named(attribute, name):
            return value_of(attribute)
        attribute = attribute.next
    return ""


cdef inline str title_of(xmlNode *element, bint is_title):
    """Return the text of a `title`, or of a `meta` whose property is `og:title`."""
    cdef Text found = Text(NULL, 0, 0)
    cdef const char *content
    try:
        if is_title:
            _put_text(&found, element)
        elif strcmp(attribute_of(element, "property"), "og:title") == 0:
            content = attribute_of(element, "content")
            put(&found, content, strlen(content))
        if not found.size:
            return ""
        return " ".join(PyUnicode_DecodeUTF8(found.bytes, found.size, NULL).split())
    finally:
        free(found.bytes)
