# The text of a segment while it is read: collapsed, or verbatim.

from libc.stdint cimport uint16_t

from templ_core._letters cimport KNOWN, SPACE
from templ_core._byte_string cimport Text, put, reserve
from templ_core.dom.parse._utf8 cimport next_point

cdef enum:
    LINE_BREAK = 0x0B


cdef struct Run:
    Text text
    char blank              # due before the next character; 0 = none
    int classes             # of all characters, as bits
    bint beyond             # whether there is a character beyond the known ones


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
    """Add text, its white space as one blank; returns the number of other characters."""
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
        point = at[0]
        if point < 0x80:
            at += 1
        else:
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
        out[0] = start[0]
        out += 1
        if point >= 0x80:
            run.beyond |= point >= KNOWN
            start += 1
            while start < at:
                out[0] = start[0]
                out += 1
                start += 1
    run.text.size = out - begin
    run.classes = seen
    run.blank = blank
    return solid


cdef inline int add_verbatim(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text as it is; returns the number of characters that are not white space."""
    cdef const unsigned char *end = at + size
    cdef unsigned int point
    cdef int solid = 0
    put(&run.text, <const char *>at, size)
    while at < end:
        point = next_point(&at)
        solid += point >= KNOWN or not classes[point] & SPACE
    return solid
