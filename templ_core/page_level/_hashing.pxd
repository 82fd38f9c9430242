# Hashes of tokens, and where their weights stand in a hashed table.

from libc.stdint cimport uint64_t

cdef enum:
    TABLE_SIZE = 32768


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return value ^ (value >> 32)


cdef inline int place_of(uint64_t token) noexcept nogil:
    return <int>(mix(token) % TABLE_SIZE)
