# What markup says about its page: the tags that may tell who wrote it, when, and where it belongs.
#
# `strip_markup` copies these tags as they are, without their `>`, one after another, each ended by a NUL.
# Tags whose text counts are followed by the byte 1 and the beginning of what stands behind them. Of a
# script only its content is copied.

from templ_core._byte_string cimport Text, put

cdef enum:
    CLAIMS_MAX_BYTES = 1 << 20      # of a page; pages hold some kilobytes, JSON-LD included
    SHOWN_BYTES = 400               # behind a tag, in which its text is looked for


cdef struct Claims:
    bint are_wanted
    Text text


cdef inline int put_claim(
    Claims *claims, const unsigned char *start, const unsigned char *end, Py_ssize_t shown
) except -1:
    """Add a piece of the markup, unless there are too many already.

    Args:
        claims: Where to add it.
        start: Where it begins.
        end: Where it is over; for a tag that is its `>`.
        shown: Bytes after this `>` that are added too.
    """
    if claims.text.size + (end - start) + shown >= CLAIMS_MAX_BYTES:
        return 0
    put(&claims.text, <const char *>start, end - start)
    if shown > 0:
        put(&claims.text, "\1", 1)
        put(&claims.text, <const char *>end + 1, shown)
    return put(&claims.text, "\0", 1)
