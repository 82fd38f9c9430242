# Code points of valid UTF-8.


cdef inline unsigned int next_point(const unsigned char **at) noexcept nogil:
    """The code point that begins at `at`, which moves behind it."""
    cdef const unsigned char *byte = at[0]
    cdef unsigned int first = byte[0]
    if first < 0x80:
        at[0] = byte + 1
        return first
    if first < 0xE0:
        at[0] = byte + 2
        return (first & 0x1F) << 6 | byte[1] & 0x3F
    if first < 0xF0:
        at[0] = byte + 3
        return (first & 0x0F) << 12 | (byte[1] & 0x3F) << 6 | byte[2] & 0x3F
    at[0] = byte + 4
    return (first & 0x07) << 18 | (byte[1] & 0x3F) << 12 | (byte[2] & 0x3F) << 6 | byte[3] & 0x3F
