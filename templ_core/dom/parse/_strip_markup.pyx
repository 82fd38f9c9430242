"""Markup without what no later stage reads, so that the parser need not read it either.

Tags, attributes, comments and raw text are told apart as libxml2 does from 2.14 on, which follows
the HTML standard (section 13.2.5). A tag, comment or raw text that never ends is left as it is,
with all that follows it.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp

from templ_core.dom.parse._addresses cimport end_of_host, leads_away
from templ_core.dom.parse._attribute_table cimport (
    ARIA_HIDDEN, ATTRIBUTE_COUNT, CLASS, HIDDEN, HREF, ID, ITEMPROP, MAX_LINE, OTHER, ROLE, STYLE,
    TableWriter, table_add_row, table_begin, table_end, table_next_line, table_put,
)
from templ_core.dom.parse._markup cimport (
    ARIA_HIDDEN_NAME, Attribute, PLAINTEXT_NAME, after_byte, after_comment, end_of_name,
    end_of_raw_text, end_of_script, is_blank, is_letter, packed, read_attribute, skip_blanks,
)
from templ_core.dom.parse._output cimport (
    Output, copy_up_to, drop, drop_blanks_before, drop_mark,
)

from templ_core.dom.tags import INLINE

cdef enum:
    INLINE_SLOTS = 256          # of the hash table of inline tags; a power of two

cdef struct Stripper:
    const unsigned char *end
    Output output
    bint has_returns                # whether there are carriage returns, which the parser changes
    bint strips_blanks              # until the first `pre`
    bint joins_documents
    TableWriter table

cdef struct StartTag:
    uint64_t name
    Attribute attributes[ATTRIBUTE_COUNT]   # by number; of several with one name, the first
    int seen                        # a bit for each number: whether the tag has that attribute
    bint keeps_attributes           # whether the parser has to read them


cdef uint64_t _packed_name(bytes name) noexcept:
    return packed(<const unsigned char *>PyBytes_AsString(name), PyBytes_Size(name))


cdef uint64_t[INLINE_SLOTS] INLINE_NAMES    # packed names by their hashes; 0 = free

cdef uint64_t SCRIPT_NAME = _packed_name(b"script"), STYLE_NAME = _packed_name(b"style")
cdef uint64_t TEXTAREA_NAME = _packed_name(b"textarea"), IFRAME_NAME = _packed_name(b"iframe")
cdef uint64_t TITLE_NAME = _packed_name(b"title"), XMP_NAME = _packed_name(b"xmp")
cdef uint64_t NOEMBED_NAME = _packed_name(b"noembed"), NOFRAMES_NAME = _packed_name(b"noframes")
cdef uint64_t HTML_NAME = _packed_name(b"html"), HEAD_NAME = _packed_name(b"head")
cdef uint64_t BODY_NAME = _packed_name(b"body"), META_NAME = _packed_name(b"meta")
cdef uint64_t LINK_NAME = _packed_name(b"a"), PRE_NAME = _packed_name(b"pre")
cdef uint64_t ID_NAME = _packed_name(b"id"), CLASS_NAME = _packed_name(b"class")
cdef uint64_t ROLE_NAME = _packed_name(b"role"), ITEMPROP_NAME = _packed_name(b"itemprop")
cdef uint64_t HIDDEN_NAME = _packed_name(b"hidden"), HREF_NAME = _packed_name(b"href")
cdef uint64_t PROPERTY_NAME = _packed_name(b"property")


cdef void _fill_inline_names() noexcept:
    cdef uint64_t tag
    cdef int slot
    for name in INLINE:
        tag = _packed_name(name.encode())
        slot = _slot_of(tag)
        while INLINE_NAMES[slot]:
            slot = (slot + 1) % INLINE_SLOTS
        INLINE_NAMES[slot] = tag


_fill_inline_names()


def strip_markup(bytes markup, bint joins_documents=False):
    """Return shorter markup, and a table of attributes, from which `flatten` makes equal columns.

    Comments, the content of scripts, styles, frames and text fields, blanks before and after the
    start tags of blocks, and all but one of several blanks after other tags are left out.
    Attributes move to the table (see `_attribute_table.pxd`) if `flatten` reads them and are left
    out otherwise. They stay in the markup where the parser would change their values (character
    references, carriage returns), in `html`, `head`, `body` and the `meta` of a title, and from
    line 65535 on.

    Args:
        markup: Markup in UTF-8.
        joins_documents: Also leave out the end tags of `html` and `body`, so that what follows
            the end of a document belongs to it.

    Returns:
        The markup and the attribute table. Markup with a NUL is returned as it is.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(markup)
    cdef Py_ssize_t size = PyBytes_Size(markup)
    cdef Stripper one
    if memchr(at, 0, size) != NULL:
        return markup, (b"", b"")
    one.end, one.output.copied = at + size, at
    one.has_returns = memchr(at, c"\r", size) != NULL
    one.strips_blanks, one.joins_documents = True, joins_documents
    one.output.bytes = one.output.next = <unsigned char *>malloc(size + 1)
    if one.output.bytes == NULL:
        raise MemoryError
    try:
        table_begin(&one.table, one.output.bytes)
        try:
            while at != NULL:
                at = <const unsigned char *>memchr(at, c"<", one.end - at)
                if at != NULL:
                    at = _after_mark(&one, at)
            copy_up_to(&one.output, one.end)
            size = one.output.next - one.output.bytes
            return PyBytes_FromStringAndSize(<const char *>one.output.bytes, size), (
                PyBytes_FromStringAndSize(one.table.rows.bytes, one.table.rows.size),
                PyBytes_FromStringAndSize(
                    one.table.entries.text.bytes, one.table.entries.text.size
                ),
            )
        finally:
            table_end(&one.table)
    finally:
        free(one.output.bytes)


cdef const unsigned char *_after_mark(Stripper *one, const unsigned char *at) except? NULL:
    """Return where the mark that begins with this `<` is over; NULL if it never ends."""
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
            drop_mark(&one.output, at, after)
        return _after_blanks(one, after, False)
    if at[1] == c"!" or at[1] == c"?":
        return after_byte(at + 2, one.end, c">")
    return at + 1


# --- blanks around tags ---------------------------------------------------------------------


cdef const unsigned char *_after_blanks(
    Stripper *one, const unsigned char *at, bint drops_all
) noexcept:
    """Leave out the blanks after a tag, all of them or all but one."""
    cdef const unsigned char *kept
    if at == NULL or not one.strips_blanks or at == one.end or not is_blank(at[0]):
        return at
    kept = at if drops_all else at + 1
    at = skip_blanks(kept, one.end)
    drop(&one.output, kept, at)
    return at


cdef bint _ends_text(uint64_t tag) noexcept:
    """Return whether a start tag ends the text before it, wherever it stands."""
    cdef int slot = _slot_of(tag)
    if tag == HTML_NAME or tag == HEAD_NAME or tag == BODY_NAME:
        return False
    while INLINE_NAMES[slot]:
        if INLINE_NAMES[slot] == tag:
            return False
        slot = (slot + 1) % INLINE_SLOTS
    return True


cdef inline int _slot_of(uint64_t tag) noexcept:
    return <int>(tag * <uint64_t>0x9E3779B97F4A7C15 >> 56)


# --- tags -----------------------------------------------------------------------------------


cdef const unsigned char *_after_end_tag(
    Stripper *one, const unsigned char *start
) noexcept:
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
    tag = packed(start + 2, name_end - start - 2) if one.joins_documents else 0
    if tag == HTML_NAME or tag == BODY_NAME:
        drop_mark(&one.output, start, at + 1)
    else:
        drop(&one.output, name_end, at)
    return at + 1


cdef const unsigned char *_after_start_tag(
    Stripper *one, const unsigned char *start
) except? NULL:
    cdef const unsigned char *name_end = end_of_name(start + 2, one.end)
    cdef const unsigned char *at
    cdef StartTag tag
    tag.name = packed(start + 1, name_end - start - 1)
    cdef bint ends_text = _ends_text(tag.name)
    if ends_text and one.strips_blanks:
        drop_blanks_before(&one.output, start)
    at = _read_attributes(one, &tag, name_end)
    if at == NULL:
        return NULL
    if not tag.keeps_attributes and _move_attributes(one, &tag, name_end):
        drop(&one.output, name_end, at)
    if at[0] == c"/":
        return _after_blanks(one, at + 2, ends_text)
    return _after_raw_text(one, tag.name, at + 1, ends_text)


cdef const unsigned char *_read_attributes(
    Stripper *one, StartTag *tag, const unsigned char *at
) noexcept:
    """Read a tag's attributes; return where its `>` or `/>` stands, NULL if it never ends."""
    cdef Attribute attribute
    cdef uint64_t name
    cdef int number
    tag.seen = 0
    tag.keeps_attributes = (
        tag.name == HTML_NAME or tag.name == HEAD_NAME or tag.name == BODY_NAME
    )
    while True:
        at = skip_blanks(at, one.end)
        if one.end - at < 2:
            return NULL if at == one.end or at[0] != c">" else at
        if at[0] == c">" or (at[0] == c"/" and at[1] == c">"):
            return at
        if at[0] == c"/":
            at += 1
            continue
        read_attribute(&attribute, at, one.end)
        at = attribute.end
        name = packed(attribute.name, attribute.name_end - attribute.name)
        number = _number_of(name, tag.name)
        if number != OTHER and not tag.seen >> number & 1:
            tag.seen |= 1 << number
            tag.attributes[number] = attribute
        elif tag.name == META_NAME and name == PROPERTY_NAME:
            tag.keeps_attributes |= _may_be_title(&attribute)


cdef inline int _number_of(uint64_t name, uint64_t tag) noexcept:
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
    if name == ITEMPROP_NAME:
        return ITEMPROP
    if name == HIDDEN_NAME:
        return HIDDEN
    return ARIA_HIDDEN if name == ARIA_HIDDEN_NAME else OTHER


cdef bint _may_be_title(const Attribute *property) noexcept:
    """Return whether the property of a `meta` may be that of the page's headline."""
    cdef Py_ssize_t size = property.value_end - property.value
    return property.value != NULL and (
        memchr(property.value, c"&", size) != NULL
        or (size == 8 and not memcmp(property.value, b"og:title", 8))
    )


# --- attributes -----------------------------------------------------------------------------


cdef bint _move_attributes(
    Stripper *one, StartTag *tag, const unsigned char *name_end
) except -1:
    """Move what `flatten` reads of a tag's attributes to the table; return whether it could."""
    cdef Attribute *attribute = &tag.attributes[0]
    cdef int number, line
    if not tag.seen or _is_emptied(tag.name):
        return True
    one.table.entry.size = 0
    if tag.seen >> HIDDEN & 1 or (tag.seen >> ARIA_HIDDEN & 1 and _is_true(&attribute[ARIA_HIDDEN])):
        table_put(&one.table, HIDDEN, NULL, 0)
    for number in range(ID, HREF + 1):
        if not tag.seen >> number & 1 or attribute[number].value == NULL:
            continue
        if number == HREF:
            if not leads_away(&attribute[HREF]):
                continue
            attribute[HREF].value_end = end_of_host(&attribute[HREF])
        if not _put_attribute(one, number, &attribute[number]):
            return False
    if not one.table.entry.size:
        return True
    copy_up_to(&one.output, name_end)
    line = table_next_line(&one.table, one.output.next)
    if line > MAX_LINE:
        return False
    one.output.next[0] = c"\n"
    one.output.next += 1
    table_add_row(&one.table, line)
    return True


cdef inline bint _put_attribute(Stripper *one, int number, const Attribute *attribute) except -1:
    """Add a value to the table's entry; return False if the parser would change the value."""
    cdef Py_ssize_t size = attribute.value_end - attribute.value
    if size == 0:
        return True
    if memchr(attribute.value, c"&", size) != NULL or (
        one.has_returns and memchr(attribute.value, c"\r", size) != NULL
    ):
        return False
    table_put(&one.table, number, attribute.value, size)
    return True


cdef inline bint _is_emptied(uint64_t tag) noexcept:
    """Return whether only the tag of such an element is read, neither attributes nor content."""
    return tag == SCRIPT_NAME or tag == STYLE_NAME or tag == IFRAME_NAME or tag == TEXTAREA_NAME


cdef inline bint _is_true(const Attribute *one) noexcept:
    return one.value_end - one.value == 4 and not memcmp(one.value, b"true", 4)


# --- raw text -------------------------------------------------------------------------------


cdef const unsigned char *_after_raw_text(
    Stripper *one, uint64_t tag, const unsigned char *at, bint ends_text
) noexcept:
    """Return where the text after a start tag is over, if there are no tags in such text."""
    cdef const unsigned char *end
    if tag == SCRIPT_NAME:
        end = end_of_script(SCRIPT_NAME, at, one.end)
    elif tag == STYLE_NAME or tag == IFRAME_NAME or tag == TEXTAREA_NAME or tag == TITLE_NAME or (
        tag == NOEMBED_NAME or tag == NOFRAMES_NAME or tag == XMP_NAME
    ):
        end = end_of_raw_text(tag, at, one.end)
    elif tag == PLAINTEXT_NAME:
        return NULL
    else:
        one.strips_blanks = one.strips_blanks and tag != PRE_NAME
        return _after_blanks(one, at, ends_text)
    if end != NULL and _is_emptied(tag):
        drop(&one.output, at, end)
    return end
