# A search in sorted hashes.

from libc.stdint cimport int64_t, uint64_t


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
