# The HTML parser of libxml2 that lxml brings, used as a source of events: it makes no tree.
#
# Its functions are looked up in lxml's own module, so that a process has one parser, and no other library
# has to be installed.

from libc.stdint cimport uintptr_t
from libc.string cimport strcmp

cdef extern from "dlfcn.h" nogil:
    int RTLD_LAZY
    void *dlopen(const char *path, int flags)
    void *dlsym(void *library, const char *name)

cdef extern from "libxml/HTMLparser.h" nogil:
    enum:
        HTML_PARSE_NODEFDTD, HTML_PARSE_NOERROR, HTML_PARSE_NOWARNING, XML_PARSE_HUGE, XML_ERR_NO_MEMORY

    ctypedef unsigned char xmlChar
    ctypedef void (*startElementSAXFunc)(void *context, const xmlChar *name, const xmlChar **attributes) noexcept
    ctypedef void (*endElementSAXFunc)(void *context, const xmlChar *name) noexcept
    ctypedef void (*charactersSAXFunc)(void *context, const xmlChar *text, int size) noexcept

    ctypedef struct xmlParserInput:
        int line                # counted from 1

    ctypedef struct htmlParserCtxt:
        xmlParserInput *input
        int errNo

    ctypedef struct htmlSAXHandler:
        startElementSAXFunc startElement
        endElementSAXFunc endElement
        charactersSAXFunc characters
        charactersSAXFunc cdataBlock

ctypedef htmlParserCtxt *(*NewParser)(const htmlSAXHandler *handler, void *context) noexcept nogil
ctypedef void *(*ReadMemory)(
    htmlParserCtxt *parser, const char *bytes, int size, const char *url, const char *encoding, int options
) noexcept nogil
ctypedef void (*WithParser)(htmlParserCtxt *parser) noexcept nogil

cdef enum:
    NAMES = 256             # a power of two


cdef struct NameNumbers:
    # A cache of numbers of names. libxml2 keeps one copy of each name of a page, so the address of
    # a name stands for the name.
    const void *address[NAMES]
    int number[NAMES]


cdef inline int slot_of_name(const void *address) noexcept:
    return <int>((<uintptr_t>address >> 3 ^ <uintptr_t>address >> 11) & (NAMES - 1))


cdef inline int place_of_attribute(const char **attributes, const char *name) noexcept:
    """Return the place of the name of an attribute, or -1 without one.

    Args:
        attributes: Names and values in turn, and NULL behind the last one; NULL without any.
        name: The name of the attribute.
    """
    cdef int place = 0
    if attributes != NULL:
        while attributes[place] != NULL:
            if strcmp(attributes[place], name) == 0:
                return place
            place += 2
    return -1


cdef inline const char *attribute_of(const char **attributes, const char *name) noexcept:
    """Return the value of an attribute, or an empty string without one; see `place_of_attribute`."""
    cdef int place = place_of_attribute(attributes, name)
    if place < 0:
        return ""
    return value_at(attributes, place)


cdef inline const char *value_at(const char **attributes, int place) noexcept:
    """Return the value of the attribute whose name is at `place`; empty if it has none."""
    if attributes[place + 1] == NULL:
        return ""
    return attributes[place + 1]
