# What text could be taken for markup.

cdef enum:
    REFERENCE_MAX = 34          # bytes of the longest name of a character reference, and some


cdef inline bint _is_word(char byte) noexcept:
    return byte < 0 or c"a" <= byte | 32 <= c"z" or c"0" <= byte <= c"9"


cdef inline bint is_inside_word(const char *text, Py_ssize_t at, Py_ssize_t size) noexcept:
    return at > 0 and at + 1 < size and _is_word(text[at - 1]) and (
        _is_word(text[at + 1]) or text[at + 1] == c"_"
    )


cdef inline bint begins_tag(char byte) noexcept:
    return c"a" <= byte | 32 <= c"z" or byte == c"/" or byte == c"!" or byte == c"?"


cdef inline bint is_reference(const char *text, Py_ssize_t size) noexcept:
    """Return whether an ampersand begins what reads like a character reference."""
    cdef Py_ssize_t at = 1
    while at < size and at < REFERENCE_MAX and (_is_word(text[at]) or text[at] == c"#"):
        at += 1
    return at > 1 and at < size and text[at] == c";"
