# A hash table of values by keys that are not 0, with open addressing.

from libc.stdlib cimport calloc, free, malloc

from templ_core.site_level._hashing cimport mixed

ctypedef unsigned long long hash_t

cdef struct Memo:
    hash_t *keys
    long long *values
    Py_ssize_t capacity
    Py_ssize_t used


cdef inline Py_ssize_t find(Memo *memo, hash_t key) noexcept:
    """Return where `key` is, or where it is to be put."""
    cdef Py_ssize_t place = mixed(key) & <hash_t>(memo.capacity - 1)
    while memo.keys[place] and memo.keys[place] != key:
        place = (place + 1) & (memo.capacity - 1)
    return place


cdef inline int remember(Memo *memo, hash_t key, long long value) except -1:
    cdef Memo larger
    cdef Py_ssize_t place
    if 2 * memo.used >= memo.capacity:
        larger.capacity = max(256, 4 * memo.capacity)
        larger.used = 0
        larger.keys = <hash_t *>calloc(larger.capacity, sizeof(hash_t))
        larger.values = <long long *>malloc(larger.capacity * sizeof(long long))
        if larger.keys == NULL or larger.values == NULL:
            free(larger.keys)
            free(larger.values)
            raise MemoryError
        for place in range(memo.capacity):
            if memo.keys[place]:
                remember(&larger, memo.keys[place], memo.values[place])
        free(memo.keys)
        free(memo.values)
        memo[0] = larger
    place = find(memo, key)
    memo.keys[place] = key
    memo.values[place] = value
    memo.used += 1
    return 0


cdef inline void forget_all(Memo *memo) noexcept:
    free(memo.keys)
    free(memo.values)
