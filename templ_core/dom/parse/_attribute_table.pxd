# The table that carries attributes past the parser.
#
# Reading attributes is what costs a parser most. `strip_markup` therefore takes them out of the
# markup and writes those that `page_columns` reads into this table; without it a page costs 14 to 17 %
# more from bytes to text.
#
# A start tag whose attributes moved to the table has a line feed in their place. The parser records
# for each element the line on which its start tag ends, and the table has a row with that line.
# Elements that the parser adds by itself in front of the tag's own element carry the line before, so
# the first element in document order with the line of a row is the one that the row describes.
#
# In Python the table is a pair of bytes: the rows, and the entries one after another. Equal sets of
# attributes share one entry. In an entry, each attribute is its number (one byte), its value and a
# NUL; one NUL more ends the entry.

from libc.stdlib cimport free
from libc.string cimport memchr

from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core._byte_string cimport Text, put

cdef enum:
    # ID to ITEMPROP are part of an element type, in this order; ID to HREF have values.
    # TARGET is the whole HREF; of other elements it and LABEL are what `_shown_values.pxd` says.
    OTHER, ID, CLASS, ROLE, ITEMPROP, STYLE, HREF, HIDDEN, ARIA_HIDDEN
    TARGET, LABEL, ATTRIBUTE_COUNT

cdef enum:
    MAX_LINE = 65534        # libxml2 keeps lines in 16 bits; 65535 means "this line or a later one"


cdef struct Row:
    int line                # counted from 1
    int entry               # number of the entry


cdef struct TableWriter:
    Interner entries
    Text rows
    Text entry              # the entry that is being written
    int line                # the line of the output at `counted`
    const unsigned char *counted


cdef inline int table_begin(TableWriter *table, const unsigned char *output) except -1:
    """Start an empty table for markup that will be written to `output`."""
    table.rows = table.entry = Text(NULL, 0, 0)
    table.line, table.counted = 1, output
    return interner_begin(&table.entries)


cdef inline void table_end(TableWriter *table) noexcept:
    interner_end(&table.entries)
    free(table.rows.bytes)
    free(table.entry.bytes)


cdef inline int table_next_line(TableWriter *table, const unsigned char *end) noexcept:
    """Return the line that a line feed written at `end` would begin."""
    cdef const unsigned char *at = table.counted
    while True:
        at = <const unsigned char *>memchr(at, c"\n", end - at)
        if at == NULL:
            table.counted = end
            return table.line + 1
        at += 1
        table.line += 1


cdef inline int table_put(
    TableWriter *table, char attribute, const unsigned char *value, Py_ssize_t size
) except -1:
    """Add an attribute to the entry that is being written."""
    put(&table.entry, &attribute, 1)
    if size:
        put(&table.entry, <const char *>value, size)
    return put(&table.entry, "\0", 1)


cdef inline int table_add_row(TableWriter *table, int line) except -1:
    """Finish the entry and let it describe the element whose start tag ends on `line`."""
    put(&table.entry, "\0", 1)
    cdef Row row = Row(
        line, interner_number(&table.entries, table.entry.bytes, table.entry.size)
    )
    return put(&table.rows, <const char *>&row, sizeof(row))
