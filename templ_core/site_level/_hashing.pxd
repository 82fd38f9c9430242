# Hashes of trees.

from libc.stdint cimport uint64_t


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    """Finaliser of SplitMix64."""
    value ^= value >> 30
    value *= <uint64_t>0xBF58476D1CE4E5B9ULL
    value ^= value >> 27
    value *= <uint64_t>0x94D049BB133111EBULL
    return value ^ (value >> 31)
