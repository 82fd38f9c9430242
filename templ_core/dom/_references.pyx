"""Character references, as text and attributes have them."""

import functools
import html
import re

cdef object REFERENCE = re.compile(
    r"(&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)"
)
cdef object character = functools.lru_cache(1 << 10)(html.unescape)


cpdef str without_references(str text):
    """Return the text in which characters stand in place of references that end with a semicolon.

    Others are left as they are: what begins with an ampersand in an address is mostly a parameter.
    """
    cdef list parts
    if "&" not in text:
        return text
    parts = REFERENCE.split(text)
    parts[1::2] = list(map(character, parts[1::2]))
    return "".join(parts)
