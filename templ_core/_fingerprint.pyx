"""Compiled SimHash of a text in lower case; see `templ_core.fingerprint`."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from templ_core._arrays cimport items
from templ_core._letters cimport KNOWN, UNSPACED, WORD

from templ_core.letters import letter_tables
from templ_core.tokens import UNSPACED_RANGES

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    uint32_t *PyUnicode_AsUCS4(object text, uint32_t *points, Py_ssize_t room, int end) except NULL

cdef enum:
    BLOCK_BYTES = 128       # of BLAKE2b
    ROUNDS = 12             # of BLAKE2b
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
cdef uint64_t *IV = [
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
]
cdef uint8_t *SIGMA = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
    7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
    9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
    2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
    12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
    13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
    6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
    10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
]


cdef void _fill_spread() noexcept:
    cdef int number, bit
    for number in range(256):
        SPREAD[number] = 0
        for bit in range(8):
            SPREAD[number] |= <uint64_t>(number >> bit & 1) << 8 * bit


_fill_spread()


def simhash_of(str text):
    """Return the SimHash of a text that is in lower case already, or None if it has no token."""
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
    class_table, _ = letter_tables()
    cdef const uint16_t *class_of = <const uint16_t *>items(class_table, 2)
    cdef Py_ssize_t at, used = 0, count = 0
    cdef uint32_t point
    cdef int bits
    for at in range(size):
        point = points[at]
        bits = class_of[point] if point < KNOWN else _wide_class(point)
        if bits & UNSPACED or not bits & WORD:
            if used:
                hashes[count] = _token_hash(bytes, used)
                count += 1
                used = 0
            if bits & UNSPACED:
                hashes[count] = _token_hash(bytes, _encode(point, bytes))
                count += 1
        else:
            used += _encode(point, bytes + used)
    if used:
        hashes[count] = _token_hash(bytes, used)
        count += 1
    return count


cdef int _wide_class(uint32_t point) except -1:
    """Return the class of a code point behind the tables, as `templ_core.tokens` has it."""
    if any(first <= point <= last for first, last in UNSPACED_RANGES):
        return UNSPACED
    return WORD if chr(point).isalnum() else 0


cdef inline int _encode(uint32_t point, uint8_t *bytes) except -1:
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


cdef uint64_t _token_hash(const uint8_t *bytes, Py_ssize_t size) noexcept:
    """Return the hash of a token, which is remembered while no other token takes its entry."""
    cdef uint64_t place = size
    cdef Py_ssize_t at
    cdef Token *known
    if size > TOKEN_BYTES:
        return _blake2b(bytes, size)
    for at in range(size):
        place = (place ^ bytes[at]) * <uint64_t>0x100000001B3
    known = &TOKENS[(place ^ place >> 32) & (REMEMBERED - 1)]
    if known.size != size or memcmp(known.bytes, bytes, size):
        known.size = <uint8_t>size
        memcpy(known.bytes, bytes, size)
        known.hash = _blake2b(bytes, size)
    return known.hash


cdef uint64_t _blake2b(const uint8_t *bytes, Py_ssize_t size) noexcept:
    """Return the BLAKE2b digest of 8 bytes (RFC 7693), read as a big-endian number."""
    cdef uint64_t[8] state
    cdef uint8_t[BLOCK_BYTES] last
    cdef Py_ssize_t at = 0
    memcpy(state, IV, sizeof(state))
    state[0] ^= 0x01010000 ^ 8
    while size - at > BLOCK_BYTES:
        _compress(state, bytes + at, at + BLOCK_BYTES, False)
        at += BLOCK_BYTES
    memset(last, 0, BLOCK_BYTES)
    memcpy(last, bytes + at, size - at)
    _compress(state, last, size, True)
    return _reversed(state[0])


cdef void _compress(
    uint64_t *state, const uint8_t *block, uint64_t counted, bint is_last
) noexcept:
    cdef uint64_t[16] v, m
    cdef int number, place
    cdef const uint8_t *s
    for number in range(16):
        m[number] = 0
        for place in range(8):
            m[number] |= <uint64_t>block[8 * number + place] << 8 * place
    memcpy(v, state, 64)
    memcpy(v + 8, IV, 64)
    v[12] ^= counted
    if is_last:
        v[14] = ~v[14]
    for number in range(ROUNDS):
        s = SIGMA + 16 * (number % 10)
        _mix4(v, 0, 4, 8, 12, m[s[0]], m[s[1]])
        _mix4(v, 1, 5, 9, 13, m[s[2]], m[s[3]])
        _mix4(v, 2, 6, 10, 14, m[s[4]], m[s[5]])
        _mix4(v, 3, 7, 11, 15, m[s[6]], m[s[7]])
        _mix4(v, 0, 5, 10, 15, m[s[8]], m[s[9]])
        _mix4(v, 1, 6, 11, 12, m[s[10]], m[s[11]])
        _mix4(v, 2, 7, 8, 13, m[s[12]], m[s[13]])
        _mix4(v, 3, 4, 9, 14, m[s[14]], m[s[15]])
    for number in range(8):
        state[number] ^= v[number] ^ v[number + 8]


cdef inline void _mix4(
    uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y
) noexcept nogil:
    v[a] = v[a] + v[b] + x
    v[d] = _rotated(v[d] ^ v[a], 32)
    v[c] = v[c] + v[d]
    v[b] = _rotated(v[b] ^ v[c], 40)
    v[a] = v[a] + v[b] + y
    v[d] = _rotated(v[d] ^ v[a], 48)
    v[c] = v[c] + v[d]
    v[b] = _rotated(v[b] ^ v[c], 1)


cdef inline uint64_t _rotated(uint64_t value, int left) noexcept nogil:
    return value << left | value >> (64 - left)


cdef inline uint64_t _reversed(uint64_t value) noexcept nogil:
    cdef uint64_t result = 0
    cdef int place
    for place in range(8):
        result = result << 8 | (value >> 8 * place & 0xFF)
    return result


cdef Py_ssize_t _shingles(uint64_t *hashes, Py_ssize_t count) noexcept:
    """Put the hashes of the shingles in place of those of the tokens, and return their number."""
    cdef Py_ssize_t at
    if count < 3:
        for at in range(count):
            hashes[at] = _finalised(hashes[at])
        return count
    for at in range(count - 2):
        hashes[at] = _finalised(
            hashes[at] ^ _rotated(hashes[at + 1], 21) ^ _rotated(hashes[at + 2], 42)
        )
    return count - 2


cdef inline uint64_t _finalised(uint64_t value) noexcept nogil:
    """Return a value mixed by SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014)."""
    value = (value ^ value >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ value >> 27) * <uint64_t>0x94D049BB133111EB
    return value ^ value >> 31


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
