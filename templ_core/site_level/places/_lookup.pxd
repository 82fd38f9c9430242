# A search in sorted hashes.

from libc.stdint cimport uint64_t


cdef inline Py_ssize_t find(const uint64_t *keys, Py_ssize_t count, uint64_t wanted) noexcept nogil:
    """Return the first index whose key is not below `wanted`, or `count`; the keys ascend.

    Hashes are spread evenly, so the search starts where `wanted` is expected and gallops from there:
    its steps double until they pass the key, then it bisects.
    """
    cdef Py_ssize_t low, high, middle, step = 1
    if not count:
        return 0
    high = low = <Py_ssize_t>(((wanted >> 32) * <uint64_t>count) >> 32)
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
