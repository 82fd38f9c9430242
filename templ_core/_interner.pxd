# Numbers for different byte strings, in order of first occurrence: a hash table with open addressing
# over a copy of the strings. Their hashes begin with a number that is secret to the process, so no page can
# know which strings share a slot.

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from templ_core._byte_string cimport Text, put, resized


cdef struct Interner:
    Text text               # all strings, one after the other
    Py_ssize_t *ends        # where each string ends
    uint64_t *hashes
    int count
    int most                # number of strings that there is room for
    int *slots              # number of a string + 1; 0 = free
    uint64_t mask
    uint64_t secret         # what all hashes begin with


cdef inline int interner_begin(Interner *one) except -1:
    one.text = Text(NULL, 0, 0)
    one.ends, one.hashes, one.slots = NULL, NULL, NULL
    one.count = one.most = 0
    one.secret = <uint64_t>hash("interner")     # another one in each process
    return _interner_grow(one)


cdef inline void interner_end(Interner *one) noexcept:
    free(one.text.bytes)
    free(one.ends)
    free(one.hashes)
    free(one.slots)


cdef inline int interner_number(Interner *one, const char *key, Py_ssize_t size) except -1:
    cdef uint64_t value = _hash_bytes(key, size, one.secret)
    cdef uint64_t slot = value & one.mask
    cdef Py_ssize_t start
    cdef int number
    while one.slots[slot]:
        number = one.slots[slot] - 1
        if one.hashes[number] == value:
            start = one.ends[number - 1] if number else 0
            if one.ends[number] - start == size and not memcmp(one.text.bytes + start, key, size):
                return number
        slot = (slot + 1) & one.mask
    if one.count == one.most:
        _interner_grow(one)
        return interner_number(one, key, size)
    put(&one.text, key, size)
    one.ends[one.count] = one.text.size
    one.hashes[one.count] = value
    one.count += 1
    one.slots[slot] = one.count
    return one.count - 1


cdef inline uint64_t _hash_bytes(const char *key, Py_ssize_t size, uint64_t secret) noexcept:
    cdef uint64_t value = secret ^ <uint64_t>size, piece
    while size >= 8:
        memcpy(&piece, key, 8)
        value = (value ^ piece) * <uint64_t>0xD6E8FEB86659FD93
        value ^= value >> 32
        key += 8
        size -= 8
    piece = 0
    memcpy(&piece, key, size)
    value = (value ^ piece) * <uint64_t>0xD6E8FEB86659FD93
    return value ^ (value >> 32)


cdef inline int _interner_grow(Interner *one) except -1:
    cdef int most = 2 * one.most if one.most else 128, number
    cdef int *slots = <int *>calloc(2 * most, sizeof(int))
    cdef uint64_t slot
    if slots == NULL:
        raise MemoryError
    free(one.slots)
    one.slots, one.mask = slots, 2 * most - 1
    one.ends = <Py_ssize_t *>resized(one.ends, most * sizeof(Py_ssize_t))
    one.hashes = <uint64_t *>resized(one.hashes, most * sizeof(uint64_t))
    one.most = most
    for number in range(one.count):
        slot = one.hashes[number] & one.mask
        while slots[slot]:
            slot = (slot + 1) & one.mask
        slots[slot] = number + 1
    return 0

