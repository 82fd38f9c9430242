"""Markup without what no stage reads, so that the parser need not read it either.

Tags, attributes, comments and text that is no markup are told apart as the parser does it (libxml2
from 2.14 on, which follows the HTML standard, section 13.2.5). From a place on that never ends,
the markup stays as it is.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from templ_core.dom.parse._attribute_table cimport (
    ATTRIBUTES,
    ARIA,
    Aside,
    CLASS,
    HIDES,
    HREF,
    ID,
    ITEM,
    MOST_LINES,
    OTHER,
    ROLE,
    STYLE,
    aside_begin,
    aside_end,
    line_at,
    say,
    set_aside,
)
from templ_core.dom.parse._markup cimport (
    ARIA_NAME,
    Attribute,
    PLAINTEXT_NAME,
    after_byte,
    after_comment,
    end_of_name,
    end_of_script,
    end_of_text,
    is_blank,
    is_letter,
    packed,
    read_attribute,
    skip_blanks,
)

from templ_core.dom.tags import INLINE

cdef enum:
    SLOTS = 256             # a power of two

cdef uint64_t[SLOTS] INLINE_NAMES       # by their hashes; 0 = free


cdef struct Lean:
    const unsigned char *end
    const unsigned char *copied     # the markup up to here is dealt with
    unsigned char *room
    unsigned char *out
    bint collapses                  # white space around tags: up to the first `pre`
    Aside *aside                    # NULL = attributes stay where they are
    bint joins                      # leaves out the ends of documents

cdef uint64_t _packed_name(bytes name) noexcept:
    return packed(<const unsigned char *>PyBytes_AsString(name), PyBytes_Size(name))


cdef void _fill_inline_names() noexcept:
    cdef uint64_t tag
    cdef int slot
    for name in INLINE:
        tag = _packed_name(name.encode())
        slot = _slot_of(tag)
        while INLINE_NAMES[slot]:
            slot = (slot + 1) % SLOTS
        INLINE_NAMES[slot] = tag


_fill_inline_names()

cdef uint64_t SCRIPT_NAME = _packed_name(b"script"), STYLE_NAME = _packed_name(b"style")
cdef uint64_t TEXTAREA_NAME = _packed_name(b"textarea"), IFRAME_NAME = _packed_name(b"iframe")
cdef uint64_t TITLE_NAME = _packed_name(b"title"), XMP_NAME = _packed_name(b"xmp")
cdef uint64_t NOEMBED_NAME = _packed_name(b"noembed"), NOFRAMES_NAME = _packed_name(b"noframes")
cdef uint64_t HTML_NAME = _packed_name(b"html"), HEAD_NAME = _packed_name(b"head")
cdef uint64_t BODY_NAME = _packed_name(b"body"), META_NAME = _packed_name(b"meta")
cdef uint64_t LINK_NAME = _packed_name(b"a"), PRE_NAME = _packed_name(b"pre")
cdef uint64_t ID_NAME = _packed_name(b"id"), CLASS_NAME = _packed_name(b"class")
cdef uint64_t ROLE_NAME = _packed_name(b"role"), ITEM_NAME = _packed_name(b"itemprop")
cdef uint64_t HIDDEN_NAME = _packed_name(b"hidden"), HREF_NAME = _packed_name(b"href")
cdef uint64_t PROPERTY_NAME = _packed_name(b"property"), CONTENT_NAME = _packed_name(b"content")


def lean_markup(bytes markup):
    """The markup whose tree has the columns that `flatten` makes of the whole markup's tree.

    Out go comments, the content of scripts, styles, frames and text fields, attributes that are
    not read or say nothing, what follows the host of an address, blanks before and after the start
    tags of blocks, and all but one of several blanks after other tags.

    Args:
        markup: UTF-8.
    """
    return _lean(markup, NULL, False)


def lean_page(bytes markup, bint joins=False):
    """The same with attributes set aside, see `templ_core.dom.parse._attribute_table`.

    Args:
        markup: UTF-8.
        joins: Also leave out the ends of documents, so that what follows one belongs to it.

    Returns:
        The markup, and what `flatten` needs to know of its attributes: where and what they are.
    """
    cdef const char *at = PyBytes_AsString(markup)
    cdef Py_ssize_t size = PyBytes_Size(markup)
    cdef Aside aside
    if memchr(at, 0, size) != NULL:
        return _lean(markup, NULL, joins), (b"", b"")
    aside_begin(&aside, memchr(at, c"\r", size) != NULL)
    try:
        lean = _lean(markup, &aside, joins)
        return lean, (
            PyBytes_FromStringAndSize(aside.places.bytes, aside.places.size),
            PyBytes_FromStringAndSize(aside.sayings.text.bytes, aside.sayings.text.size),
        )
    finally:
        aside_end(&aside)


cdef bytes _lean(bytes markup, Aside *aside, bint joins):
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(markup)
    cdef Py_ssize_t size = PyBytes_Size(markup)
    cdef unsigned char *room = <unsigned char *>malloc(size + 1)
    cdef Lean one
    if room == NULL:
        raise MemoryError
    one = Lean(at + size, at, room, room, True, aside, joins)
    if aside != NULL:
        aside.counted = room
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


cdef inline void _drop_mark(
    Lean *one, const unsigned char *start, const unsigned char *end
) noexcept:
    """Leave out a whole mark, unless what follows would be a tag by a `<` that is kept before it."""
    cdef const unsigned char *kept = one.out if start == one.copied else start
    cdef const unsigned char *first = one.room if start == one.copied else one.copied
    if kept == first or (kept - 1)[0] not in b"</":
        _drop(one, start, end)


cdef const unsigned char *_after_mark(Lean *one, const unsigned char *at) except? NULL:
    """Behind what begins with a `<`; NULL = it never ends."""
    cdef Py_ssize_t left = one.end - at
    cdef const unsigned char *after
    if left < 3:
        return NULL
    if is_letter(at[1]):
        return _after_start_tag(one, at)
    if at[1] == c"/":
        if is_letter(at[2]):
            after = _after_end_tag(one, at)
        else:
            after = after_byte(at + 2, one.end, c">")
        return _after_blanks(one, after, False)
    if at[1] == c"!" and left > 3 and at[2] == c"-" and at[3] == c"-":
        after = after_comment(at + 4, one.end)
        if after != NULL:
            _drop_mark(one, at, after)
        return _after_blanks(one, after, False)
    if at[1] == c"!" or at[1] == c"?":
        return after_byte(at + 2, one.end, c">")
    return at + 1


cdef const unsigned char *_after_blanks(
    Lean *one, const unsigned char *at, bint drops_all
) noexcept:
    """Leave out the blanks behind a tag, or all but one."""
    cdef const unsigned char *kept
    if at == NULL or not one.collapses or at == one.end or not is_blank(at[0]):
        return at
    kept = at if drops_all else at + 1
    at = skip_blanks(kept, one.end)
    _drop(one, kept, at)
    return at


# --- tags -----------------------------------------------------------------------------------


cdef const unsigned char *_after_end_tag(Lean *one, const unsigned char *start) noexcept:
    cdef const unsigned char *name_end = end_of_name(start + 3, one.end)
    cdef const unsigned char *at = name_end
    cdef Attribute attribute
    cdef uint64_t tag
    while True:
        at = skip_blanks(at, one.end)
        if at == one.end:
            return NULL
        if at[0] == c">":
            break
        if at[0] == c"/":
            at += 1
        else:
            read_attribute(&attribute, at, one.end)
            at = attribute.end
    tag = packed(start + 2, name_end - start - 2) if one.joins else 0
    if tag == HTML_NAME or tag == BODY_NAME:
        _drop_mark(one, start, at + 1)
    else:
        _drop(one, name_end, at)
    return at + 1


cdef void _drop_blanks_before(Lean *one, const unsigned char *at) noexcept:
    cdef const unsigned char *start = at
    while start > one.copied and is_blank((start - 1)[0]):
        start -= 1
    if start == one.copied:
        while one.out > one.room and is_blank((one.out - 1)[0]):
            one.out -= 1
    _drop(one, start, at)


cdef bint _ends_text(uint64_t tag) noexcept:
    """Whether a start tag ends the text before it, wherever it stands."""
    cdef int slot = _slot_of(tag)
    if tag == HTML_NAME or tag == HEAD_NAME or tag == BODY_NAME:
        return False
    while INLINE_NAMES[slot]:
        if INLINE_NAMES[slot] == tag:
            return False
        slot = (slot + 1) % SLOTS
    return True


cdef inline int _slot_of(uint64_t tag) noexcept:
    return <int>(tag * <uint64_t>0x9E3779B97F4A7C15 >> 56)


cdef const unsigned char *_after_start_tag(Lean *one, const unsigned char *at) except? NULL:
    cdef const unsigned char *end = one.end
    cdef const unsigned char *name = at + 1
    cdef const unsigned char *kept
    cdef Attribute attribute
    cdef uint64_t tag
    cdef bint ends_text
    cdef bint open_value = False    # the last attribute kept has a value without quotes
    cdef int seen = 0
    kept = at = end_of_name(name + 1, end)
    tag = packed(name, at - name)
    ends_text = _ends_text(tag)
    if ends_text and one.collapses:
        _drop_blanks_before(one, name - 1)
    if tag == META_NAME and not _may_name_title(at, end):
        tag = 0
    if one.aside != NULL and _may_go_aside(tag):
        kept = at = _after_attributes(one, tag, at)
    while True:
        at = skip_blanks(at, end)
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
        read_attribute(&attribute, at, end)
        at = attribute.end
        if at == end:
            return NULL
        if _is_unread(&attribute, tag, &seen) and _may_go(&attribute, open_value, end):
            _drop(one, kept, at)
        else:
            if tag == LINK_NAME:
                _shorten_address(one, &attribute)
            open_value = attribute.value != NULL and not attribute.quoted
        kept = at
    return _after_text(one, tag, at, ends_text)


cdef bint _may_name_title(const unsigned char *at, const unsigned char *end) noexcept:
    """Whether the attributes that begin here may be those of the page's headline."""
    cdef Attribute attribute
    cdef Py_ssize_t size
    while True:
        at = skip_blanks(at, end)
        if at == end or at[0] == c">":
            return False
        if at[0] == c"/":
            at += 1
            continue
        read_attribute(&attribute, at, end)
        at = attribute.end
        if attribute.value != NULL and (
            packed(attribute.name, attribute.name_end - attribute.name) == PROPERTY_NAME
        ):
            size = attribute.value_end - attribute.value
            return memchr(attribute.value, c"&", size) != NULL or (
                size == 8 and not memcmp(attribute.value, b"og:title", 8)
            )


cdef enum:
    ADDRESS_START = 12      # bytes that tell where an address leads


cdef inline int _number_of(const Attribute *one, uint64_t tag) noexcept:
    cdef uint64_t name = packed(one.name, one.name_end - one.name)
    if name == CLASS_NAME:
        return CLASS
    if name == ID_NAME:
        return ID
    if name == HREF_NAME:
        return HREF if tag == LINK_NAME else OTHER
    if name == STYLE_NAME:
        return STYLE
    if name == ROLE_NAME:
        return ROLE
    if name == ITEM_NAME:
        return ITEM
    if name == HIDDEN_NAME:
        return HIDES
    return ARIA if name == ARIA_NAME else OTHER


cdef bint _is_unread(const Attribute *one, uint64_t tag, int *seen) noexcept:
    """Whether no stage reads the attribute; of several of one name the first counts."""
    cdef int number = _number_of(one, tag)
    cdef bint is_first = not seen[0] >> number & 1
    cdef uint64_t name
    seen[0] |= 1 << number
    if number == STYLE:
        return not (is_first and _may_hide(one))
    if number == HREF:
        return not (is_first and _leads_away(one))
    if number != OTHER:
        return False
    name = packed(one.name, one.name_end - one.name)
    return not (
        tag == HTML_NAME or (tag == META_NAME and (name == PROPERTY_NAME or name == CONTENT_NAME))
    )


cdef bint _may_go(const Attribute *one, bint open_value, const unsigned char *end) noexcept:
    """Whether what stands around the attribute reads the same without it."""
    cdef const unsigned char *after = one.end
    if after[0] == c">":
        return True
    if after[0] == c"/":
        return not open_value
    if not is_blank(after[0]):
        return False
    if one.value == NULL:
        return True
    after = skip_blanks(after, end)
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
    if attribute.value == NULL or HREF_NAME != packed(
        attribute.name, attribute.name_end - attribute.name
    ):
        return
    _drop(one, _end_of_host(attribute), attribute.value_end)


cdef const unsigned char *_end_of_host(const Attribute *address) noexcept:
    """Behind the slash after the host, or the end."""
    cdef const unsigned char *at = address.value
    cdef const unsigned char *end = address.value_end
    while end - at > 1 and not (at[0] == c"/" and at[1] == c"/"):
        if at[0] == c"&":
            return end
        at += 1
    at += 2
    while at < end and at[0] != c"/":
        if at[0] == c"&":
            return end
        at += 1
    return at + 1 if at < end else end


# --- attributes set aside -------------------------------------------------------------------


cdef inline bint _is_emptied(uint64_t tag) noexcept:
    """Whether nothing is read of an element but its tag."""
    return tag == SCRIPT_NAME or tag == STYLE_NAME or tag == IFRAME_NAME or tag == TEXTAREA_NAME


cdef inline bint _may_go_aside(uint64_t tag) noexcept:
    """Not where the parser may drop the tag, or others read its attributes."""
    return not (tag == HTML_NAME or tag == HEAD_NAME or tag == BODY_NAME or tag == META_NAME)


cdef const unsigned char *_after_attributes(
    Lean *one, uint64_t tag, const unsigned char *start
) except NULL:
    """Where a tag's attributes, now set aside, are over; where they begin if they have to stay."""
    cdef const unsigned char *end = one.end
    cdef const unsigned char *at = start
    cdef Attribute attribute
    cdef Attribute read[ATTRIBUTES]
    cdef int seen = 0, number, line
    while True:
        at = skip_blanks(at, end)
        if end - at < 2:
            return start
        if at[0] == c">" or (at[0] == c"/" and at[1] == c">"):
            break
        if at[0] == c"/":
            at += 1
            continue
        read_attribute(&attribute, at, end)
        at = attribute.end
        number = _number_of(&attribute, tag)
        if number == OTHER or seen >> number & 1:
            continue
        if not _is_plain(&attribute, one.aside.returns):
            return start
        read[number] = attribute
        seen |= 1 << number
    if seen and not _is_emptied(tag):
        _say_all(one.aside, read, seen)
        if one.aside.saying.size:
            _copy_up_to(one, start)
            line = line_at(one.aside, one.out)
            if line > MOST_LINES:
                return start
            one.out[0] = c"\n"
            one.out += 1
            set_aside(one.aside, line)
    _drop(one, start, at)
    return at


cdef inline bint _is_plain(const Attribute *one, bint returns) noexcept:
    """Whether the parser takes the value as it stands."""
    cdef Py_ssize_t size = one.value_end - one.value
    return size == 0 or memchr(one.value, c"&", size) == NULL and not (
        returns and memchr(one.value, c"\r", size) != NULL
    )


cdef int _say_all(Aside *aside, const Attribute *read, int seen) except -1:
    """Put together what the attributes say of their element."""
    cdef const Attribute *one
    cdef int number
    aside.saying.size = 0
    for number in range(ID, ITEM + 1):
        one = &read[number]
        if seen >> number & 1 and one.value_end > one.value:
            say(aside, number, one.value, one.value_end - one.value)
    one = &read[STYLE]
    if seen >> STYLE & 1 and _may_hide(one):
        say(aside, STYLE, one.value, one.value_end - one.value)
    one = &read[ARIA]
    if seen >> HIDES & 1 or (
        seen >> ARIA & 1
        and one.value_end - one.value == 4
        and not memcmp(one.value, b"true", 4)
    ):
        say(aside, HIDES, NULL, 0)
    one = &read[HREF]
    if seen >> HREF & 1 and _leads_away(one):
        say(aside, HREF, one.value, _end_of_host(one) - one.value)
    return 0


# --- text that is no markup -----------------------------------------------------------------


cdef const unsigned char *_after_text(
    Lean *one, uint64_t tag, const unsigned char *at, bint ends_text
) noexcept:
    """Behind a start tag, and the text behind it in which there are no tags."""
    cdef const unsigned char *end
    if tag == SCRIPT_NAME:
        end = end_of_script(SCRIPT_NAME, at, one.end)
    elif tag == STYLE_NAME or tag == IFRAME_NAME or tag == TEXTAREA_NAME or tag == TITLE_NAME or (
        tag == NOEMBED_NAME or tag == NOFRAMES_NAME or tag == XMP_NAME
    ):
        end = end_of_text(tag, at, one.end)
    elif tag == PLAINTEXT_NAME:
        return NULL
    else:
        one.collapses = one.collapses and tag != PRE_NAME
        return _after_blanks(one, at, ends_text)
    if end != NULL and _is_emptied(tag):
        _drop(one, at, end)
    return end
