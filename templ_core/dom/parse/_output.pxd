# The output of `strip_markup`: a copy of the markup without the pieces that are dropped, and without the
# content of the open elements that is no text of the page, such as that of `svg` and `object`.
#
# The parser ends such an element by other rules than browsers do, or not at all, and what follows it
# would be lost. `strip_markup` therefore takes its content out of the output when it ends, so that the
# parser sees an element that ends at once. An element that never ends hides nothing at all.
#
# Inside `svg` and `math` other rules hold (HTML standard, section 13.2.6.5): there is no raw text, and
# the start tags of most HTML elements end them.

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from templ_core.dom.parse._attribute_table cimport TableWriter
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


# --- hidden elements ------------------------------------------------------------------------

cdef enum:
    CLOSING_BYTES = 2           # of " /", which makes a start tag close itself
    HIDDEN_MAX = 64             # elements inside one another; deeper ones hide nothing


cdef struct HiddenElement:
    uint64_t name               # packed
    bint is_foreign             # svg or math
    int html_depth              # open elements inside that hold HTML
    int links                   # open `a` inside
    Py_ssize_t tag_end          # where the `>` of its start tag goes in the output
    Py_ssize_t rows_bytes       # of the attribute table before its content
    int line                    # of the attribute table
    const unsigned char *counted


cdef struct HiddenElements:
    HiddenElement items[HIDDEN_MAX]     # the innermost one last
    int count


cdef inline bint in_foreign(const HiddenElements *hidden) noexcept:
    """Return whether tags are read by the rules of `svg` and `math`."""
    cdef const HiddenElement *last = &hidden.items[hidden.count - 1]
    return hidden.count > 0 and last.is_foreign and not last.html_depth


cdef inline void hide_from(
    HiddenElements *hidden, uint64_t name, bint is_foreign, Output *output, TableWriter *table
) noexcept:
    """Note that what is written from here on is inside such an element, whose `>` comes next."""
    if hidden.count == HIDDEN_MAX:
        _close_itself(output)
        return
    hidden.items[hidden.count] = HiddenElement(
        name, is_foreign, 0, 0, output.next - output.bytes, table.rows.size, table.line,
        table.counted,
    )
    hidden.count += 1


cdef inline int place_of(const HiddenElements *hidden, uint64_t name) noexcept:
    """Return the place of the innermost element of that name; -1 if none is open."""
    cdef int place = hidden.count - 1
    while place >= 0 and hidden.items[place].name != name:
        place -= 1
    return place


cdef inline int outermost_foreign(const HiddenElements *hidden) noexcept:
    """Return the place of the outermost `svg` or `math` that ends with the innermost one."""
    cdef int place = hidden.count - 1
    while place > 0 and hidden.items[place - 1].is_foreign and (
        not hidden.items[place - 1].html_depth
    ):
        place -= 1
    return place


cdef inline void end_hidden(
    HiddenElements *hidden, int place, Output *output, TableWriter *table,
    const unsigned char *after,
) noexcept:
    """End an element and those inside it, and go on in the markup at `after`."""
    cdef const HiddenElement *one = &hidden.items[place]
    output.next = output.bytes + one.tag_end
    _close_itself(output)
    output.next[0] = c">"
    output.next += 1
    output.copied = after
    table.rows.size, table.line, table.counted = one.rows_bytes, one.line, one.counted
    hidden.count = place


cdef inline void _close_itself(Output *output) noexcept:
    memcpy(output.next, b" /", CLOSING_BYTES)
    output.next += CLOSING_BYTES


cdef inline void copy_unhidden(
    const HiddenElements *hidden, const Output *output, unsigned char *copy
) noexcept:
    """Copy the output, and let the elements that are still open close themselves."""
    cdef Py_ssize_t start = 0, end
    cdef int place
    for place in range(hidden.count):
        end = hidden.items[place].tag_end
        memcpy(copy, output.bytes + start, end - start)
        copy += end - start
        memcpy(copy, b" /", CLOSING_BYTES)
        copy += CLOSING_BYTES
        start = end
    memcpy(copy, output.bytes + start, output.next - output.bytes - start)
