# The attributes of a start tag on their way to the attribute table.

from libc.string cimport memchr, memcmp

from templ_core.dom.parse._addresses cimport end_of_host, leads_away
from templ_core.dom.parse._attribute_table cimport (
    ALT, ARIA_HIDDEN, DATA_SRC, HIDDEN, HREF, ID, LABEL, MAX_LINE, SRC, TARGET, TableWriter,
    table_add_row, table_next_line, table_put,
)
from templ_core.dom.parse._markup cimport Attribute
from templ_core.dom.parse._output cimport Output, copy_up_to
from templ_core.dom.parse._start_tag cimport StartTag, is_true
from templ_core.dom.parse._tag_traits cimport IS_EMPTIED, IS_LINK


cdef inline bint move_attributes(
    TableWriter *table, Output *output, StartTag *tag, const unsigned char *name_end,
    bint has_returns,
) except -1:
    """Move what `flatten` reads of a tag's attributes to the table; return whether it could.

    Args:
        table: The table.
        output: The output, in which a line feed takes the place of the attributes.
        tag: The start tag.
        name_end: Where its name is over.
        has_returns: Whether the markup has carriage returns, which the parser changes.
    """
    cdef Attribute *attribute = &tag.attributes[0]
    cdef int number, line
    if not tag.seen or tag.traits & IS_EMPTIED:
        return True
    table.entry.size = 0
    if tag.seen >> HIDDEN & 1 or (tag.seen >> ARIA_HIDDEN & 1 and is_true(&attribute[ARIA_HIDDEN])):
        table_put(table, HIDDEN, NULL, 0)
    if tag.keeps_target:
        _put_target(table, tag)
    for number in range(ID, HREF + 1):
        if not tag.seen >> number & 1 or attribute[number].value == NULL:
            continue
        if number == HREF:
            if not leads_away(&attribute[HREF]):
                continue
            attribute[HREF].value_end = end_of_host(&attribute[HREF])
        if not _put_attribute(table, number, &attribute[number], has_returns):
            return False
    if not table.entry.size:
        return True
    copy_up_to(output, name_end)
    line = table_next_line(table, output.next)
    if line > MAX_LINE:
        return False
    output.next[0] = c"\n"
    output.next += 1
    table_add_row(table, line)
    return True


cdef inline bint _put_attribute(
    TableWriter *table, int number, const Attribute *attribute, bint has_returns
) except -1:
    """Add a value to the table's entry; return False if the parser would change the value."""
    cdef Py_ssize_t size = attribute.value_end - attribute.value
    if size == 0:
        return True
    if memchr(attribute.value, c"&", size) != NULL or (
        has_returns and memchr(attribute.value, c"\r", size) != NULL
    ):
        return False
    table_put(table, number, attribute.value, size)
    return True


cdef inline int _put_target(TableWriter *table, const StartTag *tag) except -1:
    """Add the address of a link, or the address and the alternative text of an image, as they stand."""
    cdef const Attribute *attribute = &tag.attributes[0]
    cdef int number = HREF
    if not tag.traits & IS_LINK:
        number = SRC
        if tag.seen >> DATA_SRC & 1 and not (tag.seen >> SRC & 1 and _is_address(&attribute[SRC])):
            number = DATA_SRC
        if tag.seen >> ALT & 1 and attribute[ALT].value != NULL:
            table_put(
                table, LABEL, attribute[ALT].value, attribute[ALT].value_end - attribute[ALT].value
            )
    if tag.seen >> number & 1 and (number == HREF or _is_address(&attribute[number])):
        table_put(
            table, TARGET, attribute[number].value,
            attribute[number].value_end - attribute[number].value,
        )
    return 0


cdef inline bint _is_address(const Attribute *source) noexcept:
    """Return whether the source of an image is an address, and not the image itself."""
    cdef Py_ssize_t size = source.value_end - source.value
    return source.value != NULL and size > 0 and not (
        size > 5 and not memcmp(source.value, b"data:", 5)
    )
