"""Compiled SimHash of a text; see `templ_core.fingerprint`."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from templ_core._arrays cimport items
from templ_core._blake2b cimport BLOCK_BYTES, blake2b, reversed_bytes, rotated
from templ_core._byte_string cimport encode_point
from templ_core._hashing cimport finalised
from templ_core._letters cimport KNOWN, UNSPACED, WORD

from templ_core.letters import letter_tables
from templ_core.tokens import UNSPACED_RANGES

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    uint32_t *PyUnicode_AsUCS4(object text, uint32_t *points, Py_ssize_t room, int end) except NULL

cdef enum:
    TOKEN_BYTES = 23        # longest token whose hash is remembered
    REMEMBERED = 32768      # entries of tokens, a power of 2
    LANES = 8               # bytes of a shingle
    CHUNK = 255             # shingles whose bits a lane of one byte can count

cdef struct Token:
    uint8_t size            # 0 = the entry is free
    uint8_t[TOKEN_BYTES] bytes
    uint64_t hash

cdef Token[REMEMBERED] TOKENS
cdef uint64_t[256] SPREAD   # bit i of the index as the lowest bit of byte i


cdef void _fill_spread() noexcept:
    cdef int number, bit
    for number in range(256):
        SPREAD[number] = 0
        for bit in range(8):
            SPREAD[number] |= <uint64_t>(number >> bit & 1) << 8 * bit


_fill_spread()


def simhash_of(str text):
    """Return the SimHash of a text whose letters have one lower case each, or None if it has no token."""
    cdef Py_ssize_t size = PyUnicode_GetLength(text), count
    cdef uint32_t *points = <uint32_t *>malloc(4 * (size + 1))
    cdef uint64_t *hashes = <uint64_t *>malloc(8 * (size + 1))
    cdef uint8_t *bytes = <uint8_t *>malloc(4 * size + BLOCK_BYTES)
    cdef uint64_t key
    try:
        if points == NULL or hashes == NULL or bytes == NULL:
            raise MemoryError
        if size:
            PyUnicode_AsUCS4(text, points, size, 0)
        count = _token_hashes(points, size, bytes, hashes)
        if not count:
            return None
        key = _key(hashes, _shingles(hashes, count))
        return key
    finally:
        free(points)
        free(hashes)
        free(bytes)


cdef Py_ssize_t _token_hashes(
    const uint32_t *points, Py_ssize_t size, uint8_t *bytes, uint64_t *hashes
) except -1:
    """Fill in the hash of each token, and return their number; `bytes` has room for a whole text."""
    class_table, lower_table = letter_tables()
    cdef const uint16_t *class_of = <const uint16_t *>items(class_table, 2)
    cdef const uint32_t *lower_of = <const uint32_t *>items(lower_table, 4)
    cdef Py_ssize_t at, used = 0, count = 0
    cdef uint32_t point
    cdef int bits
    for at in range(size):
        point = points[at]
        if point < KNOWN:
            point, bits = lower_of[point], class_of[point]
        else:
            bits = _wide_class(point)
        if bits & UNSPACED or not bits & WORD:
            if used:
                hashes[count] = _token_hash(bytes, used)
                count += 1
                used = 0
            if bits & UNSPACED:
                hashes[count] = _token_hash(bytes, encode_point(point, bytes))
                count += 1
        else:
            used += encode_point(point, bytes + used)
    if used:
        hashes[count] = _token_hash(bytes, used)
        count += 1
    return count


cdef int _wide_class(uint32_t point) except -1:
    """Return the class of a code point behind the tables, as `templ_core.tokens` has it."""
    if any(first <= point <= last for first, last in UNSPACED_RANGES):
        return UNSPACED
    return WORD if chr(point).isalnum() else 0


cdef uint64_t _token_hash(const uint8_t *bytes, Py_ssize_t size) noexcept:
    """Return the hash of a token, which is remembered while no other token takes its entry."""
    cdef uint64_t place = size
    cdef Py_ssize_t at
    cdef Token *known
    if size > TOKEN_BYTES:
        return reversed_bytes(blake2b(bytes, size))
    for at in range(size):
        place = (place ^ bytes[at]) * <uint64_t>0x100000001B3
    known = &TOKENS[(place ^ place >> 32) & (REMEMBERED - 1)]
    if known.size != size or memcmp(known.bytes, bytes, size):
        known.size = <uint8_t>size
        memcpy(known.bytes, bytes, size)
        known.hash = reversed_bytes(blake2b(bytes, size))
    return known.hash


cdef Py_ssize_t _shingles(uint64_t *hashes, Py_ssize_t count) noexcept:
    """Put the hashes of the shingles in place of those of the tokens, and return their number."""
    cdef Py_ssize_t at
    if count < 3:
        for at in range(count):
            hashes[at] = finalised(hashes[at])
        return count
    for at in range(count - 2):
        hashes[at] = finalised(
            hashes[at] ^ rotated(hashes[at + 1], 21) ^ rotated(hashes[at + 2], 42)
        )
    return count - 2


cdef uint64_t _key(const uint64_t *shingles, Py_ssize_t count) except? 0:
    """Return the bits that most of the different shingles have."""
    cdef Py_ssize_t room = 4, at, place, different = 0, waiting = 0
    cdef uint64_t[LANES] lanes
    cdef int64_t[64] ones
    cdef uint64_t one, key = 0
    cdef bint has_zero = False
    cdef int lane, bit
    while room < 2 * count:
        room *= 2
    cdef uint64_t *seen = <uint64_t *>calloc(room, 8)
    if seen == NULL:
        raise MemoryError
    memset(lanes, 0, sizeof(lanes))
    memset(ones, 0, sizeof(ones))
    for at in range(count):
        one = shingles[at]
        if one == 0:                # which marks free places
            different += not has_zero
            has_zero = True
            continue
        place = one & (room - 1)
        while seen[place] and seen[place] != one:
            place = (place + 1) & (room - 1)
        if seen[place]:
            continue
        seen[place] = one
        different += 1
        for lane in range(LANES):
            lanes[lane] += SPREAD[one >> 8 * lane & 0xFF]
        waiting += 1
        if waiting == CHUNK:
            _take(lanes, ones)
            waiting = 0
    _take(lanes, ones)
    free(seen)
    for bit in range(64):
        if 2 * ones[bit] > different:
            key |= <uint64_t>1 << bit
    return key


cdef void _take(uint64_t *lanes, int64_t *ones) noexcept:
    """Add the counts in the lanes to those of the bits, and set the lanes to 0."""
    cdef int lane, bit
    for lane in range(LANES):
        for bit in range(8):
            ones[8 * lane + bit] += lanes[lane] >> 8 * bit & 0xFF
        lanes[lane] = 0
