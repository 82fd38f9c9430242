"""Markup without what no stage reads, so that the parser need not read it either.

Tags, attributes, comments and text that is no markup are told apart as the parser does it (libxml2
from 2.14 on, which follows the HTML standard, section 13.2.5). From a place on that never ends,
the markup stays as it is.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from templ_core.dom.tags import INLINE

cdef enum:
    BLANK = 1
    ENDS_NAME = 2
    ENDS_ATTRIBUTE = 4      # its name
    ENDS_VALUE = 8          # without quotes
    PACKED = 8              # bytes of a name that fit in a number
    SLOTS = 256             # a power of two

cdef unsigned char[256] CLASS
cdef uint64_t[SLOTS] INLINE_NAMES       # by their hashes; 0 = free

cdef struct Lean:
    const unsigned char *end
    const unsigned char *copied     # the markup up to here is dealt with
    unsigned char *room
    unsigned char *out
    bint collapses                  # white space around tags: up to the first `pre`

cdef struct Attribute:
    const unsigned char *name
    const unsigned char *name_end
    const unsigned char *value      # NULL without one
    const unsigned char *value_end
    const unsigned char *end        # after the closing quote
    bint quoted


cdef void _fill_classes() noexcept:
    cdef int byte
    for byte in b"\t\n\x0c\r ":
        CLASS[byte] = BLANK | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE
    CLASS[c"/"] = ENDS_NAME | ENDS_ATTRIBUTE
    CLASS[c">"] = ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE
    CLASS[c"="] = ENDS_ATTRIBUTE


_fill_classes()


cdef uint64_t _packed_name(bytes name) noexcept:
    return _packed(<const unsigned char *>PyBytes_AsString(name), PyBytes_Size(name))


cdef void _fill_inline_names() noexcept:
    cdef uint64_t packed
    cdef int slot
    for name in INLINE:
        packed = _packed_name(name.encode())
        slot = _slot_of(packed)
        while INLINE_NAMES[slot]:
            slot = (slot + 1) % SLOTS
        INLINE_NAMES[slot] = packed


_fill_inline_names()

cdef uint64_t SCRIPT = _packed_name(b"script"), STYLE = _packed_name(b"style")
cdef uint64_t TEXTAREA = _packed_name(b"textarea"), IFRAME = _packed_name(b"iframe")
cdef uint64_t TITLE = _packed_name(b"title"), XMP = _packed_name(b"xmp")
cdef uint64_t NOEMBED = _packed_name(b"noembed"), NOFRAMES = _packed_name(b"noframes")
cdef uint64_t HTML = _packed_name(b"html"), HEAD = _packed_name(b"head")
cdef uint64_t BODY = _packed_name(b"body"), LINK = _packed_name(b"a"), META = _packed_name(b"meta")
cdef uint64_t PRE = _packed_name(b"pre")
cdef uint64_t ID = _packed_name(b"id"), CLASSES = _packed_name(b"class")
cdef uint64_t ROLE = _packed_name(b"role"), ITEM = _packed_name(b"itemprop")
cdef uint64_t HIDDEN = _packed_name(b"hidden")
cdef uint64_t HREF = _packed_name(b"href"), PROPERTY = _packed_name(b"property")
cdef uint64_t CONTENT = _packed_name(b"content")
cdef uint64_t PLAINTEXT = 1, ARIA = 2   # the long names that matter


def lean_markup(bytes markup):
    """The markup whose tree has the columns that `flatten` makes of the whole markup's tree.

    Out go comments, the content of scripts, styles, frames and text fields, attributes that are
    not read or say nothing, what follows the host of an address, blanks before and after the start
    tags of blocks, and all but one of several blanks after other tags.

    Args:
        markup: UTF-8.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(markup)
    cdef Py_ssize_t size = PyBytes_Size(markup)
    cdef unsigned char *room = <unsigned char *>malloc(size + 1)
    cdef Lean one
    if room == NULL:
        raise MemoryError
    one = Lean(at + size, at, room, room, True)
    try:
        while at != NULL:
            at = <const unsigned char *>memchr(at, c"<", one.end - at)
            if at != NULL:
                at = _after_mark(&one, at)
        _copy_up_to(&one, one.end)
        return PyBytes_FromStringAndSize(<const char *>room, one.out - room)
    finally:
        free(room)


cdef void _copy_up_to(Lean *one, const unsigned char *place) noexcept:
    memcpy(one.out, one.copied, place - one.copied)
    one.out += place - one.copied
    one.copied = place


cdef inline void _drop(Lean *one, const unsigned char *start, const unsigned char *end) noexcept:
    if end > start:
        _copy_up_to(one, start)
        one.copied = end


cdef const unsigned char *_after_mark(Lean *one, const unsigned char *at) noexcept:
    """Behind what begins with a `<`; NULL = it never ends."""
    cdef Py_ssize_t left = one.end - at
    cdef const unsigned char *after
    if left < 3:
        return NULL
    if _is_letter(at[1]):
        return _after_start_tag(one, at)
    if at[1] == c"/":
        if _is_letter(at[2]):
            after = _after_end_tag(one, at)
        else:
            after = _after_byte(at + 2, one.end, c">")
        return _after_blanks(one, after, False)
    if at[1] == c"!" and left > 3 and at[2] == c"-" and at[3] == c"-":
        after = _after_comment(at + 4, one.end)
        if after != NULL:
            _drop(one, at, after)
        return _after_blanks(one, after, False)
    if at[1] == c"!" or at[1] == c"?":
        return _after_byte(at + 2, one.end, c">")
    return at + 1


cdef const unsigned char *_after_byte(
    const unsigned char *at, const unsigned char *end, int byte
) noexcept:
    at = <const unsigned char *>memchr(at, byte, end - at)
    return at + 1 if at != NULL else NULL


cdef const unsigned char *_after_blanks(
    Lean *one, const unsigned char *at, bint drops_all
) noexcept:
    """Leave out the blanks behind a tag, or all but one."""
    cdef const unsigned char *kept
    if at == NULL or not one.collapses or at == one.end or not CLASS[at[0]] & BLANK:
        return at
    kept = at if drops_all else at + 1
    at = _skip_blanks(kept, one.end)
    _drop(one, kept, at)
    return at


cdef const unsigned char *_after_comment(
    const unsigned char *at, const unsigned char *end
) noexcept:
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


# --- tags -----------------------------------------------------------------------------------


cdef const unsigned char *_after_end_tag(Lean *one, const unsigned char *at) noexcept:
    cdef const unsigned char *name_end = _end_of_name(at + 3, one.end, ENDS_NAME)
    cdef const unsigned char *end = one.end
    cdef Attribute attribute
    at = name_end
    while True:
        at = _skip_blanks(at, end)
        if at == end:
            return NULL
        if at[0] == c">":
            _drop(one, name_end, at)
            return at + 1
        if at[0] == c"/":
            at += 1
        else:
            _read_attribute(&attribute, at, end)
            at = attribute.end


cdef void _drop_blanks_before(Lean *one, const unsigned char *at) noexcept:
    cdef const unsigned char *start = at
    while start > one.copied and CLASS[(start - 1)[0]] & BLANK:
        start -= 1
    if start == one.copied:
        while one.out > one.room and CLASS[(one.out - 1)[0]] & BLANK:
            one.out -= 1
    _drop(one, start, at)


cdef bint _ends_text(uint64_t tag) noexcept:
    """Whether a start tag ends the text before it, wherever it stands."""
    cdef int slot = _slot_of(tag)
    if tag == HTML or tag == HEAD or tag == BODY:
        return False
    while INLINE_NAMES[slot]:
        if INLINE_NAMES[slot] == tag:
            return False
        slot = (slot + 1) % SLOTS
    return True


cdef inline int _slot_of(uint64_t tag) noexcept:
    return <int>(tag * <uint64_t>0x9E3779B97F4A7C15 >> 56)


cdef const unsigned char *_after_start_tag(Lean *one, const unsigned char *at) noexcept:
    cdef const unsigned char *end = one.end
    cdef const unsigned char *name = at + 1
    cdef const unsigned char *kept
    cdef Attribute attribute
    cdef uint64_t tag
    cdef bint ends_text
    cdef bint open_value = False    # the last attribute kept has a value without quotes
    cdef int seen = 0
    kept = at = _end_of_name(name + 1, end, ENDS_NAME)
    tag = _packed(name, at - name)
    ends_text = _ends_text(tag)
    if ends_text and one.collapses:
        _drop_blanks_before(one, name - 1)
    if tag == META and not _may_name_title(at, end):
        tag = 0
    while True:
        at = _skip_blanks(at, end)
        if end - at < 2:
            return NULL
        if at[0] == c">":
            at += 1
            break
        if at[0] == c"/":
            at += 1
            if at[0] == c">":
                return _after_blanks(one, at + 1, ends_text)
            continue
        _read_attribute(&attribute, at, end)
        at = attribute.end
        if at == end:
            return NULL
        if _is_unread(&attribute, tag, &seen) and _may_go(&attribute, open_value, end):
            _drop(one, kept, at)
        else:
            if tag == LINK:
                _shorten_address(one, &attribute)
            open_value = attribute.value != NULL and not attribute.quoted
        kept = at
    return _after_text(one, tag, at, ends_text)


cdef bint _may_name_title(const unsigned char *at, const unsigned char *end) noexcept:
    """Whether the attributes that begin here may be those of the page's headline."""
    cdef Attribute attribute
    cdef Py_ssize_t size
    while True:
        at = _skip_blanks(at, end)
        if at == end or at[0] == c">":
            return False
        if at[0] == c"/":
            at += 1
            continue
        _read_attribute(&attribute, at, end)
        at = attribute.end
        if attribute.value != NULL and (
            _packed(attribute.name, attribute.name_end - attribute.name) == PROPERTY
        ):
            size = attribute.value_end - attribute.value
            return memchr(attribute.value, c"&", size) != NULL or (
                size == 8 and not memcmp(attribute.value, b"og:title", 8)
            )


cdef void _read_attribute(
    Attribute *one, const unsigned char *at, const unsigned char *end
) noexcept:
    """The attribute that begins here; it ends with the markup where it never ends."""
    cdef const unsigned char *found
    one.name = at
    one.name_end = one.end = _end_of_name(at + 1, end, ENDS_ATTRIBUTE)
    one.value = one.value_end = NULL
    one.quoted = False
    at = _skip_blanks(one.name_end, end)
    if at == end or at[0] != c"=":
        return
    at = _skip_blanks(at + 1, end)
    if at < end and (at[0] == c'"' or at[0] == c"'"):
        one.quoted = True
        one.value = at + 1
        found = <const unsigned char *>memchr(one.value, at[0], end - one.value)
        one.value_end = found if found != NULL else end
        one.end = found + 1 if found != NULL else end
        return
    one.value = at
    while at < end and not CLASS[at[0]] & ENDS_VALUE:
        at += 1
    one.value_end = one.end = at


cdef enum:
    SEEN_STYLE = 1
    SEEN_HREF = 2
    ADDRESS_START = 12      # bytes that tell where an address leads


cdef bint _is_unread(const Attribute *one, uint64_t tag, int *seen) noexcept:
    """Whether no stage reads the attribute; of several of one name the first counts."""
    cdef uint64_t name = _packed(one.name, one.name_end - one.name)
    cdef bint is_first
    if name == CLASSES or name == ID:
        return False
    if name == STYLE:
        is_first = not seen[0] & SEEN_STYLE
        seen[0] |= SEEN_STYLE
        return not (is_first and _may_hide(one))
    if name == HREF and tag == LINK:
        is_first = not seen[0] & SEEN_HREF
        seen[0] |= SEEN_HREF
        return not (is_first and _leads_away(one))
    if name == ROLE or name == ITEM or name == HIDDEN or name == ARIA:
        return False
    return not (tag == HTML or (tag == META and (name == PROPERTY or name == CONTENT)))


cdef bint _may_go(const Attribute *one, bint open_value, const unsigned char *end) noexcept:
    """Whether what stands around the attribute reads the same without it."""
    cdef const unsigned char *after = one.end
    if after[0] == c">":
        return True
    if after[0] == c"/":
        return not open_value
    if not CLASS[after[0]] & BLANK:
        return False
    if one.value == NULL:
        return True
    after = _skip_blanks(after, end)
    return after < end and after[0] != c"="


cdef bint _may_hide(const Attribute *one) noexcept:
    """Whether a style may say that its element is hidden."""
    cdef const unsigned char *at = one.value
    if at == NULL:
        return False
    while at < one.value_end:
        if at[0] >= 0x80 or at[0] == c"&" or c"A" <= at[0] <= c"Z":
            return True
        if at[0] == c"i" and one.value_end - at > 2 and at[1] == c"s":
            if at[2] == c"p" or at[2] == c"i":
                return True
        at += 1
    return False


cdef bint _leads_away(const Attribute *one) noexcept:
    """Whether an address may lead to another page than one of the same site."""
    cdef const unsigned char *at = one.value
    cdef Py_ssize_t size = one.value_end - at
    if at == NULL or not size:
        return False
    if at[0] == c"#" or (at[0] == c"/" and size > 1 and at[1] == c"/"):
        return True
    if at[0] == c"/" or at[0] == c"?" or at[0] == c".":
        return at[0] == c"/" and size > 1 and at[1] == c"&"
    if memchr(at, c"&", min(size, ADDRESS_START)) != NULL:
        return True
    return size > 4 and (not memcmp(at, b"http", 4) or not memcmp(at, b"javas", 5))


cdef void _shorten_address(Lean *one, const Attribute *attribute) noexcept:
    """Leave out what follows the host of an address."""
    cdef const unsigned char *at = attribute.value
    cdef const unsigned char *end = attribute.value_end
    if at == NULL or _packed(attribute.name, attribute.name_end - attribute.name) != HREF:
        return
    while end - at > 1 and not (at[0] == c"/" and at[1] == c"/"):
        if at[0] == c"&":
            return
        at += 1
    at += 2
    while at < end and at[0] != c"/":
        if at[0] == c"&":
            return
        at += 1
    if at < end:
        _drop(one, at + 1, end)


# --- text that is no markup -----------------------------------------------------------------


cdef const unsigned char *_after_text(
    Lean *one, uint64_t tag, const unsigned char *at, bint ends_text
) noexcept:
    """Behind a start tag, and the text behind it in which there are no tags."""
    cdef const unsigned char *end
    if tag == SCRIPT:
        end = _end_of_script(at, one.end)
    elif tag == STYLE or tag == IFRAME or tag == TEXTAREA or tag == TITLE or (
        tag == NOEMBED or tag == NOFRAMES or tag == XMP
    ):
        end = _end_of_text(tag, at, one.end)
    elif tag == PLAINTEXT:
        return NULL
    else:
        one.collapses = one.collapses and tag != PRE
        return _after_blanks(one, at, ends_text)
    if end != NULL and (tag == SCRIPT or tag == STYLE or tag == IFRAME or tag == TEXTAREA):
        _drop(one, at, end)
    return end


cdef const unsigned char *_end_of_text(
    uint64_t tag, const unsigned char *at, const unsigned char *end
) noexcept:
    """The end tag that ends a text; NULL = there is none."""
    while True:
        at = <const unsigned char *>memchr(at, c"<", end - at)
        if at == NULL:
            return NULL
        if _is_tag(tag, at + 1, end, True):
            return at
        at += 1


cdef const unsigned char *_end_of_script(
    const unsigned char *at, const unsigned char *end
) noexcept:
    """The same for a script: inside of a comment's marks, scripts may hold scripts."""
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
        elif _is_tag(SCRIPT, at + 1, end, True):
            if not in_script:
                return at
            in_script = False
        elif in_comment and not in_script and _is_tag(SCRIPT, at + 1, end, False):
            in_script = True
        at += 1


cdef bint _is_tag(
    uint64_t tag, const unsigned char *at, const unsigned char *end, bint closes
) noexcept:
    """Whether this is the name of a tag, with a slash before it for one that closes."""
    cdef const unsigned char *name_end
    if closes:
        if at == end or at[0] != c"/":
            return False
        at += 1
    if at == end or not _is_letter(at[0]):
        return False
    name_end = _end_of_name(at + 1, end, ENDS_NAME)
    return name_end < end and _packed(at, name_end - at) == tag


# --- names ----------------------------------------------------------------------------------


cdef inline bint _is_letter(unsigned char byte) noexcept:
    return c"a" <= byte | 32 <= c"z"


cdef inline const unsigned char *_skip_blanks(
    const unsigned char *at, const unsigned char *end
) noexcept:
    while at < end and CLASS[at[0]] & BLANK:
        at += 1
    return at


cdef inline const unsigned char *_end_of_name(
    const unsigned char *at, const unsigned char *end, int ends
) noexcept:
    while at < end and not CLASS[at[0]] & ends:
        at += 1
    return at


cdef uint64_t _packed(const unsigned char *name, Py_ssize_t size) noexcept:
    """A name in lower case as a number, different for all names that matter."""
    cdef uint64_t packed = 0
    cdef Py_ssize_t place
    if size > PACKED:
        if _is_name(name, size, b"aria-hidden"):
            return ARIA
        return PLAINTEXT if _is_name(name, size, b"plaintext") else 0
    for place in range(size):
        packed = packed << 8 | (name[place] | 32)
    return packed


cdef bint _is_name(const unsigned char *name, Py_ssize_t size, const char *wanted) noexcept:
    cdef Py_ssize_t place
    for place in range(size):
        if name[place] | 32 != <unsigned char>wanted[place]:
            return False
    return wanted[size] == 0
