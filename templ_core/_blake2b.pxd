# BLAKE2b with a digest of 8 bytes (RFC 7693), for texts that are much shorter than what hashlib is made for.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #include <stdint.h>

    static const uint64_t templ_blake2b_iv[8] = {
        0x6A09E667F3BCC908U, 0xBB67AE8584CAA73BU, 0x3C6EF372FE94F82BU, 0xA54FF53A5F1D36F1U,
        0x510E527FADE682D1U, 0x9B05688C2B3E6C1FU, 0x1F83D9ABFB41BD6BU, 0x5BE0CD19137E2179U,
    };
    static const uint8_t templ_blake2b_sigma[160] = {
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
    };
    """
    const uint64_t *IV "templ_blake2b_iv"
    const uint8_t *SIGMA "templ_blake2b_sigma"

cdef enum:
    BLOCK_BYTES = 128
    ROUNDS = 12


cdef inline uint64_t blake2b(const uint8_t *bytes, Py_ssize_t size) noexcept:
    """Return the digest of 8 bytes, read as a little-endian number."""
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
    return state[0]


cdef inline void _compress(
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
    v[d] = rotated(v[d] ^ v[a], 32)
    v[c] = v[c] + v[d]
    v[b] = rotated(v[b] ^ v[c], 40)
    v[a] = v[a] + v[b] + y
    v[d] = rotated(v[d] ^ v[a], 48)
    v[c] = v[c] + v[d]
    v[b] = rotated(v[b] ^ v[c], 1)


cdef inline uint64_t rotated(uint64_t value, int left) noexcept nogil:
    return value << left | value >> (64 - left)


cdef inline uint64_t reversed_bytes(uint64_t value) noexcept nogil:
    cdef uint64_t result = 0
    cdef int place
    for place in range(8):
        result = result << 8 | (value >> 8 * place & 0xFF)
    return result
