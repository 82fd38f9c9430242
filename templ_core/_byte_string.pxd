# Byte strings that grow.

from libc.stdlib cimport realloc
from libc.string cimport memcpy


cdef struct Text:
    char *bytes
    Py_ssize_t size
    Py_ssize_t room         # bytes that are allocated


cdef inline int put(Text *text, const char *bytes, Py_ssize_t size) except -1:
    reserve(text, size)
    memcpy(text.bytes + text.size, bytes, size)
    text.size += size
    return 0


cdef inline int reserve(Text *text, Py_ssize_t more) except -1:
    """Make room for `more` bytes after the present ones."""
    if text.size + more > text.room:
        text.room = 2 * (text.size + more) + 256
        text.bytes = <char *>resized(text.bytes, text.room)
    return 0


cdef inline void *resized(void *block, size_t size) except NULL:
    cdef void *result = realloc(block, size)
    if result == NULL:
        raise MemoryError
    return result
