# Byte strings that grow.

from libc.stdint cimport uint8_t, uint32_t
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


cdef inline int encode_point(uint32_t point, uint8_t *bytes) noexcept:
    """Write a character in UTF-8, and return the number of its bytes."""
    if point < 0x80:
        bytes[0] = <uint8_t>point
        return 1
    if point < 0x800:
        bytes[0] = <uint8_t>(0xC0 | point >> 6)
        bytes[1] = <uint8_t>(0x80 | point & 0x3F)
        return 2
    if point < 0x10000:
        bytes[0] = <uint8_t>(0xE0 | point >> 12)
        bytes[1] = <uint8_t>(0x80 | point >> 6 & 0x3F)
        bytes[2] = <uint8_t>(0x80 | point & 0x3F)
        return 3
    bytes[0] = <uint8_t>(0xF0 | point >> 18)
    bytes[1] = <uint8_t>(0x80 | point >> 12 & 0x3F)
    bytes[2] = <uint8_t>(0x80 | point >> 6 & 0x3F)
    bytes[3] = <uint8_t>(0x80 | point & 0x3F)
    return 4
