# Hashes of 64 bits: mixing their bits, and a search among sorted ones.

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """Half of a finaliser, for hashes whose parts are mixed one after the other."""
    value = (value ^ (value >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return value ^ (value >> 32)


cdef inline uint64_t finalised(uint64_t value) noexcept nogil:
    """Return a value mixed by SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014)."""
    value ^= value >> 30
    value *= <uint64_t>0xBF58476D1CE4E5B9ULL
    value ^= value >> 27
    value *= <uint64_t>0x94D049BB133111EBULL
    return value ^ (value >> 31)


cdef inline Py_ssize_t find(const uint64_t *keys, Py_ssize_t count, uint64_t wanted) noexcept nogil:
    """Return the first index whose key is not below `wanted`, or `count`; the keys ascend.

    Hashes are spread evenly, so the search looks where `wanted` is expected, moves by what the key there
    differs from it, and gallops from there: its steps double until they pass the key, then it bisects.
    """
    cdef Py_ssize_t low, high, middle, step = 1
    cdef int64_t away
    if not count:
        return 0
    low = <Py_ssize_t>(((wanted >> 32) * <uint64_t>count) >> 32)
    away = <int64_t>(wanted >> 32) - <int64_t>(keys[low] >> 32)
    low += <Py_ssize_t>(away * count >> 32)
    high = low = min(max(low, 0), count)
    while low > 0 and keys[low - 1] >= wanted:
        high = low - 1
        low = max(high - step, 0)
        step *= 2
    while high < count and keys[high] < wanted:
        low = high + 1
        high = min(low + step, count)
        step *= 2
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
