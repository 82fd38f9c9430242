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

    #define TEMPL_ROTATED(value, left) ((value) << (left) | (value) >> (64 - (left)))
    #define TEMPL_MIX(a, b, c, d, x, y) \\
        a += b + m[x]; d ^= a; d = TEMPL_ROTATED(d, 32); c += d; b ^= c; b = TEMPL_ROTATED(b, 40); \\
        a += b + m[y]; d ^= a; d = TEMPL_ROTATED(d, 48); c += d; b ^= c; b = TEMPL_ROTATED(b, 1);
    #define TEMPL_ROUND(i, j, k, l, o, p, q, r, s, t, u, v, w, x, y, z) \\
        TEMPL_MIX(v0, v4, v8, v12, i, j) TEMPL_MIX(v1, v5, v9, v13, k, l) \\
        TEMPL_MIX(v2, v6, v10, v14, o, p) TEMPL_MIX(v3, v7, v11, v15, q, r) \\
        TEMPL_MIX(v0, v5, v10, v15, s, t) TEMPL_MIX(v1, v6, v11, v12, u, v) \\
        TEMPL_MIX(v2, v7, v8, v13, w, x) TEMPL_MIX(v3, v4, v9, v14, y, z)

    /* All indices are constants, so the state stays in registers. */
    static void templ_blake2b_compress(uint64_t *h, const uint8_t *block, uint64_t counted, int is_last)
    {
        const uint64_t *iv = templ_blake2b_iv;
        uint64_t v0 = h[0], v1 = h[1], v2 = h[2], v3 = h[3], v4 = h[4], v5 = h[5], v6 = h[6], v7 = h[7];
        uint64_t v8 = iv[0], v9 = iv[1], v10 = iv[2], v11 = iv[3], v12 = iv[4] ^ counted, v13 = iv[5];
        uint64_t v14 = is_last ? ~iv[6] : iv[6], v15 = iv[7], m[16];
        for (int n = 0; n < 16; n++, block += 8)
            m[n] = (uint64_t)block[0] | (uint64_t)block[1] << 8 | (uint64_t)block[2] << 16
                | (uint64_t)block[3] << 24 | (uint64_t)block[4] << 32 | (uint64_t)block[5] << 40
                | (uint64_t)block[6] << 48 | (uint64_t)block[7] << 56;
        TEMPL_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        TEMPL_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
        TEMPL_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
        TEMPL_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
        TEMPL_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
        TEMPL_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
        TEMPL_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
        TEMPL_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
        TEMPL_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
        TEMPL_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)
        TEMPL_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        TEMPL_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
        h[0] ^= v0 ^ v8; h[1] ^= v1 ^ v9; h[2] ^= v2 ^ v10; h[3] ^= v3 ^ v11;
        h[4] ^= v4 ^ v12; h[5] ^= v5 ^ v13; h[6] ^= v6 ^ v14; h[7] ^= v7 ^ v15;
    }
    """
    const uint64_t *IV "templ_blake2b_iv"
    void _compress "templ_blake2b_compress"(
        uint64_t *state, const uint8_t *block, uint64_t counted, bint is_last
    ) noexcept

cdef enum:
    BLOCK_BYTES = 128


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


cdef inline uint64_t rotated(uint64_t value, int left) noexcept nogil:
    return value << left | value >> (64 - left)


cdef inline uint64_t reversed_bytes(uint64_t value) noexcept nogil:
    cdef uint64_t result = 0
    cdef int place
    for place in range(8):
        result = result << 8 | (value >> 8 * place & 0xFF)
    return result
