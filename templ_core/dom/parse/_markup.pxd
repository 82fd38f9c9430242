# The pieces of markup, distinguished as the parser does (HTML standard, section 13.2.5).

from libc.stdint cimport uint64_t
from libc.string cimport memchr

cdef enum:
    PACKED_MAX = 8          # bytes of a name that fit in a number
    PLAINTEXT_NAME = 1      # stand for the longer names that matter
    ARIA_HIDDEN_NAME = 2
    BLOCKQUOTE_NAME = 3
    FOREIGN_OBJECT_NAME = 4
    ANNOTATION_XML_NAME = 5
    FIGCAPTION_NAME = 6
    SHADOW_ROOT_NAME = 7


cdef struct Attribute:
    const unsigned char *name
    const unsigned char *name_end
    const unsigned char *value      # NULL = there is none
    const unsigned char *value_end
    const unsigned char *end        # after the closing quote


cdef inline bint is_letter(unsigned char byte) noexcept:
    return c"a" <= byte | 32 <= c"z"


cdef inline bint is_blank(unsigned char byte) noexcept:
    return byte == c" " or byte == c"\n" or byte == c"\t" or byte == c"\r" or byte == c"\f"


cdef inline const unsigned char *skip_blanks(
    const unsigned char *at, const unsigned char *end
) noexcept:
    while at < end and is_blank(at[0]):
        at += 1
    return at


cdef inline const unsigned char *after_byte(
    const unsigned char *at, const unsigned char *end, int byte
) noexcept:
    """Return the place after the next such byte; NULL if there is none."""
    at = <const unsigned char *>memchr(at, byte, end - at)
    return at + 1 if at != NULL else NULL


cdef inline const unsigned char *end_of_name(
    const unsigned char *at, const unsigned char *end
) noexcept:
    """Return where the name of a tag is over."""
    while at < end and not (is_blank(at[0]) or at[0] == c"/" or at[0] == c">"):
        at += 1
    return at


cdef inline void read_attribute(
    Attribute *one, const unsigned char *at, const unsigned char *end
) noexcept:
    """Read the attribute that begins at `at`; if it never ends, it ends with the markup."""
    cdef const unsigned char *found
    one.name = at
    at += 1
    while at < end and not (
        is_blank(at[0]) or at[0] == c"/" or at[0] == c">" or at[0] == c"="
    ):
        at += 1
    one.name_end = one.end = at
    one.value = one.value_end = NULL
    at = skip_blanks(at, end)
    if at == end or at[0] != c"=":
        return
    at = skip_blanks(at + 1, end)
    if at < end and (at[0] == c'"' or at[0] == c"'"):
        one.value = at + 1
        found = <const unsigned char *>memchr(one.value, at[0], end - one.value)
        one.value_end = found if found != NULL else end
        one.end = found + 1 if found != NULL else end
        return
    one.value = at
    while at < end and not (is_blank(at[0]) or at[0] == c">"):
        at += 1
    one.value_end = one.end = at


cdef inline uint64_t packed(const unsigned char *name, Py_ssize_t size) noexcept:
    """Return a name in lower case as a number that is different for all names that matter, else 0."""
    cdef uint64_t result = 0
    cdef Py_ssize_t place
    if size > PACKED_MAX:
        return _number_of_long_name(name, size)
    for place in range(size):
        result = result << 8 | (name[place] | 32)
    return result


cdef inline uint64_t _number_of_long_name(const unsigned char *name, Py_ssize_t size) noexcept:
    if size == 9 and is_name(name, size, b"plaintext"):
        return PLAINTEXT_NAME
    if size == 10 and is_name(name, size, b"blockquote"):
        return BLOCKQUOTE_NAME
    if size == 10 and is_name(name, size, b"figcaption"):
        return FIGCAPTION_NAME
    if size == 11 and is_name(name, size, b"aria-hidden"):
        return ARIA_HIDDEN_NAME
    if size == 13 and is_name(name, size, b"foreignobject"):
        return FOREIGN_OBJECT_NAME
    if size == 14 and is_name(name, size, b"annotation-xml"):
        return ANNOTATION_XML_NAME
    if size == 14 and is_name(name, size, b"shadowrootmode"):
        return SHADOW_ROOT_NAME
    return 0


cdef inline bint is_name(
    const unsigned char *name, Py_ssize_t size, const char *wanted
) noexcept:
    cdef Py_ssize_t place
    for place in range(size):
        if name[place] | 32 != <unsigned char>wanted[place]:
            return False
    return wanted[size] == 0


# --- comments and raw text ------------------------------------------------------------------


cdef inline const unsigned char *after_comment(
    const unsigned char *at, const unsigned char *end
) noexcept:
    """Return the place after the end of a comment whose text begins at `at`; NULL if it never ends."""
    if at < end and at[0] == c">":
        return at + 1
    if end - at > 1 and at[0] == c"-" and at[1] == c">":
        return at + 2
    while True:
        at = <const unsigned char *>memchr(at, c"-", end - at)
        if at == NULL or end - at < 3:
            return NULL
        if at[1] == c"-":
            if at[2] == c">":
                return at + 3
            if at[2] == c"!" and end - at > 3 and at[3] == c">":
                return at + 4
        at += 1


cdef inline const unsigned char *after_cdata(
    const unsigned char *at, const unsigned char *end
) noexcept:
    """Return the place after the end of a CDATA section; NULL if it never ends."""
    while True:
        at = <const unsigned char *>memchr(at, c"]", end - at)
        if at == NULL or end - at < 3:
            return NULL
        if at[1] == c"]" and at[2] == c">":
            return at + 3
        at += 1


cdef inline const unsigned char *next_tag(
    const unsigned char *at, const unsigned char *end
) noexcept:
    """Return where the next tag, comment or declaration begins; NULL if there is none."""
    while True:
        at = <const unsigned char *>memchr(at, c"<", end - at)
        if at == NULL or end - at < 2:
            return NULL
        if is_letter(at[1]) or at[1] == c"/" or at[1] == c"!":
            return at
        at += 1


cdef inline const unsigned char *end_of_raw_text(
    uint64_t tag, const unsigned char *at, const unsigned char *end
) noexcept:
    """Return where the end tag that ends a raw text begins; NULL if there is none."""
    while True:
        at = <const unsigned char *>memchr(at, c"<", end - at)
        if at == NULL:
            return NULL
        if _is_tag(tag, at + 1, end, True):
            return at
        at += 1


cdef inline const unsigned char *end_of_script(
    uint64_t script, const unsigned char *at, const unsigned char *end
) noexcept:
    """Return where the end tag of a script begins; NULL if there is none.

    Between `<!--` and `-->`, a script may hold scripts.
    """
    cdef bint in_comment = False, in_script = False
    while True:
        if not in_comment:
            at = <const unsigned char *>memchr(at, c"<", end - at)
        else:
            while at < end and at[0] != c"<" and at[0] != c"-":
                at += 1
        if at == NULL or end - at < 3:
            return NULL
        if at[0] == c"-":
            if at[1] == c"-" and at[2] == c">":
                in_comment = in_script = False
        elif not in_comment and at[1] == c"!":
            in_comment = end - at > 3 and at[2] == c"-" and at[3] == c"-"
        elif _is_tag(script, at + 1, end, True):
            if not in_script:
                return at
            in_script = False
        elif in_comment and not in_script and _is_tag(script, at + 1, end, False):
            in_script = True
        at += 1


cdef inline bint _is_tag(
    uint64_t tag, const unsigned char *at, const unsigned char *end, bint closes
) noexcept:
    """Return whether the name of this tag stands at `at`, for an end tag with a slash before it."""
    cdef const unsigned char *name_end
    if closes:
        if at == end or at[0] != c"/":
            return False
        at += 1
    if at == end or not is_letter(at[0]):
        return False
    name_end = end_of_name(at + 1, end)
    return name_end < end and packed(at, name_end - at) == tag
