# What markup says about its page: the tags that may tell who wrote it, when, and where it belongs.
#
# `strip_markup` writes each of these tags as the name of the tag in lower case and then the names, in
# lower case, and the values of its attributes, all of them ended by the byte 2. Where its text counts,
# the byte 1 and the beginning of the markup behind the tag follow. Of a script that is the whole
# content. A NUL ends each of them.

from libc.string cimport memchr

from templ_core._byte_string cimport Text, put, reserve
from templ_core.dom.parse._markup cimport Attribute, read_attribute, skip_blanks

cdef enum:
    CLAIMS_MAX_BYTES = 1 << 20      # of a page; pages hold some kilobytes, JSON-LD included
    SHOWN_BYTES = 400               # behind a tag, in which its text is looked for


cdef struct Claims:
    bint are_wanted
    Text text


cdef inline int put_claim(
    Claims *claims, const unsigned char *start, const unsigned char *name_end,
    const unsigned char *tag_end, const unsigned char *end,
) except -1:
    """Add a tag, unless there are too many already.

    Args:
        claims: Where to add it.
        start: Its `<`.
        name_end: Where its name is over.
        tag_end: Its `>` or `/>`.
        end: Where the markup behind it that counts is over; not beyond `tag_end` if none does.
    """
    cdef const unsigned char *at = skip_blanks(name_end, tag_end)
    cdef Attribute attribute
    cdef Py_ssize_t shown = end - tag_end - 1
    if claims.text.size + (tag_end - start) + max(shown, 0) >= CLAIMS_MAX_BYTES:
        return 0
    _put_lower(&claims.text, start + 1, name_end)
    while at < tag_end:
        if at[0] == c"/":
            at += 1
        else:
            read_attribute(&attribute, at, tag_end)
            at = attribute.end
            if attribute.value != NULL:
                _put_attribute(&claims.text, &attribute)
        at = skip_blanks(at, tag_end)
    if shown > 0:
        put(&claims.text, "\1", 1)
        put(&claims.text, <const char *>tag_end + 1, shown)
    return put(&claims.text, "\0", 1)


cdef inline int _put_attribute(Text *text, const Attribute *attribute) except -1:
    cdef Py_ssize_t size = attribute.value_end - attribute.value
    if memchr(attribute.value, 1, size) != NULL or memchr(attribute.value, 2, size) != NULL:
        return 0
    _put_lower(text, attribute.name, attribute.name_end)
    put(text, <const char *>attribute.value, size)
    return put(text, "\2", 1)


cdef inline int _put_lower(
    Text *text, const unsigned char *at, const unsigned char *end
) except -1:
    """Add a name in lower case and the byte 2."""
    reserve(text, end - at + 1)
    while at < end:
        text.bytes[text.size] = at[0] + 32 if c"A" <= at[0] <= c"Z" else at[0]
        text.size += 1
        at += 1
    text.bytes[text.size] = 2
    text.size += 1
    return 0
