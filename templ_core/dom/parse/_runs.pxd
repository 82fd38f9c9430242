# The text of a segment while it is put together: white space collapsed, or verbatim in `pre`.

from libc.stdint cimport uint16_t

from templ_core._letters cimport KNOWN, SPACE
from templ_core._byte_string cimport Text, put, reserve

cdef enum:
    LINE_BREAK = 0x0B       # vertical tab: a line break that survives the collapsing


cdef struct Run:
    Text text
    char blank              # to be written before the next character; 0 = none
    int classes             # of all characters (`templ_core.letters`), as bits
    bint beyond             # whether a character lies beyond the tables of `templ_core.letters`


cdef inline unsigned int next_point(const unsigned char **at) noexcept nogil:
    """Return the code point of valid UTF-8 that begins at `at`, and move `at` after it."""
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


cdef inline void run_begin(Run *run) noexcept:
    run.text.size = 0
    run.blank = 0
    run.classes = 0
    run.beyond = False


cdef inline void run_break(Run *run) noexcept:
    run.blank = c"\n"


cdef inline int add_collapsed(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text with each stretch of white space as one blank; return how many characters are not blank."""
    reserve(&run.text, size + 1)
    cdef char *begin = run.text.bytes
    cdef char *out = begin + run.text.size
    cdef const unsigned char *end = at + size
    cdef const unsigned char *start
    cdef int seen = run.classes, solid = 0, of_this
    cdef unsigned int point
    cdef char blank = run.blank
    while at < end:
        start = at
        point = next_point(&at)
        of_this = classes[point] if point < KNOWN else 0
        if of_this & SPACE:
            if point == LINE_BREAK:
                blank = c"\n"
            elif not blank:
                blank = c" "
            continue
        if blank:
            if out != begin:
                out[0] = blank
                out += 1
            blank = 0
        seen |= of_this
        solid += 1
        run.beyond |= point >= KNOWN
        while start < at:
            out[0] = start[0]
            out += 1
            start += 1
        while at < end and at[0] < 0x80 and not classes[at[0]] & SPACE:
            seen |= classes[at[0]]
            solid += 1
            out[0] = at[0]
            out += 1
            at += 1
    run.text.size = out - begin
    run.classes = seen
    run.blank = blank
    return solid


cdef inline int add_verbatim(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text as it is; return how many of its characters are not white space."""
    cdef const unsigned char *end = at + size
    cdef unsigned int point
    cdef int solid = 0
    put(&run.text, <const char *>at, size)
    while at < end:
        point = next_point(&at)
        solid += point >= KNOWN or not classes[point] & SPACE
    return solid
