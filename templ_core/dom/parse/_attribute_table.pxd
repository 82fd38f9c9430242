# Attributes that the parser need not read: set aside, by the lines on which their start tags end.
#
# Such a tag has a line feed in their place. Of all elements that begin on its line its own is the
# first: what the parser adds before it is still on the line before.

from libc.stdlib cimport free
from libc.string cimport memchr

from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core._byte_string cimport Text, put

cdef enum:
    OTHER, ID, CLASS, ROLE, ITEM, STYLE, HIDES, ARIA, HREF, ATTRIBUTES

cdef enum:
    MOST_LINES = 65534      # the parser counts to one more


cdef struct Place:
    int line                # from 1
    int number              # of what the attributes say


cdef struct Aside:
    Interner sayings        # each attribute's number, value and NUL, and NUL
    Text places
    Text saying
    int line                # at `counted`
    const unsigned char *counted
    bint returns            # whether the page has carriage returns


cdef inline int aside_begin(Aside *one, bint returns) except -1:
    one.places = one.saying = Text(NULL, 0, 0)
    one.line, one.counted, one.returns = 1, NULL, returns
    return interner_begin(&one.sayings)


cdef inline void aside_end(Aside *one) noexcept:
    interner_end(&one.sayings)
    free(one.places.bytes)
    free(one.saying.bytes)


cdef inline int line_at(Aside *one, const unsigned char *end) noexcept:
    """The line that a line feed written at `end` begins."""
    cdef const unsigned char *at = one.counted
    while True:
        at = <const unsigned char *>memchr(at, c"\n", end - at)
        if at == NULL:
            one.counted = end
            return one.line + 1
        at += 1
        one.line += 1


cdef inline int say(
    Aside *one, char attribute, const unsigned char *value, Py_ssize_t size
) except -1:
    put(&one.saying, &attribute, 1)
    if size:
        put(&one.saying, <const char *>value, size)
    return put(&one.saying, "\0", 1)


cdef inline int set_aside(Aside *one, int line) except -1:
    """Keep what was said for the element of a line."""
    put(&one.saying, "\0", 1)
    cdef Place place = Place(
        line, interner_number(&one.sayings, one.saying.bytes, one.saying.size)
    )
    return put(&one.places, <const char *>&place, sizeof(place))
