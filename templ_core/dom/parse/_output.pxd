# The output of `strip_markup`: a copy of the markup without the pieces that are dropped.

from libc.string cimport memcpy

from templ_core.dom.parse._markup cimport is_blank, is_letter

cdef enum:
    REFERENCE_MAX = 40      # bytes of the longest name of a character reference, and some


cdef struct Output:
    const unsigned char *copied     # the markup before it has been copied or dropped
    unsigned char *bytes
    unsigned char *next             # where the next byte goes


cdef inline void copy_up_to(Output *output, const unsigned char *place) noexcept:
    memcpy(output.next, output.copied, place - output.copied)
    output.next += place - output.copied
    output.copied = place


cdef inline void drop(
    Output *output, const unsigned char *start, const unsigned char *end
) noexcept:
    if end > start:
        copy_up_to(output, start)
        output.copied = end


cdef inline void drop_mark(
    Output *output, const unsigned char *start, const unsigned char *end
) noexcept:
    """Leave out a whole mark, unless the text around it might then be a tag or a reference."""
    cdef const unsigned char *kept = output.next if start == output.copied else start
    cdef const unsigned char *first = output.bytes if start == output.copied else output.copied
    if not _may_join(kept, first):
        drop(output, start, end)


cdef inline bint _may_join(const unsigned char *end, const unsigned char *first) noexcept:
    """Return whether the beginning of a tag or character reference ends at `end`."""
    cdef const unsigned char *at = end
    if at > first and (at - 1)[0] in b"</":
        return True
    while at > first and end - at < REFERENCE_MAX and (is_letter((at - 1)[0]) or (
        c"0" <= (at - 1)[0] <= c"9" or (at - 1)[0] == c"#"
    )):
        at -= 1
    return at > first and (at - 1)[0] == c"&"


cdef inline void drop_blanks_before(Output *output, const unsigned char *at) noexcept:
    cdef const unsigned char *start = at
    while start > output.copied and is_blank((start - 1)[0]):
        start -= 1
    if start == output.copied:
        while output.next > output.bytes and is_blank((output.next - 1)[0]):
            output.next -= 1
    drop(output, start, at)
