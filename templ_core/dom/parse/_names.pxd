# Numbers of names by their addresses: the parser keeps one copy of each name of a page.

from libc.stdint cimport uintptr_t


cdef enum:
    NAMES = 256             # a power of two


cdef struct Names:
    const void *address[NAMES]
    int number[NAMES]


cdef inline int slot_of_name(const void *address) noexcept:
    return <int>((<uintptr_t>address >> 3 ^ <uintptr_t>address >> 11) & (NAMES - 1))
