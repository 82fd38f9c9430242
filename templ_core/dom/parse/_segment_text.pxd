# The text of a segment while it is put together, white space collapsed, or verbatim in `pre`; and the marks
# of a page: where links, images and emphasis begin and end in the text of segments.

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport strchr, strlen

from templ_core._byte_string cimport Text, put, reserve, resized
from templ_core._letters cimport KNOWN, SPACE
from templ_core.dom.parse._attribute_table cimport LABEL, TARGET
from templ_core.dom.parse._libxml2 cimport attribute_of, value_at
from templ_core.dom.parse._shown_values cimport IS_SHOWN, Shown, show, show_attribute

cdef enum:
    LINE_BREAK = 0x0B       # vertical tab: a line break that survives the collapsing


cdef struct Run:
    Text text
    char blank              # to be written before the next character; 0 = none
    int classes             # of all characters (`templ_core.letters`), as bits
    bint beyond             # whether a character lies beyond the tables of `templ_core.letters`


cdef inline unsigned int next_point(const unsigned char **at) noexcept nogil:
    """Return the code point of valid UTF-8 that begins at `at`, and move `at` after it."""
    cdef const unsigned char *byte = at[0]
    cdef unsigned int first = byte[0]
    if first < 0x80:
        at[0] = byte + 1
        return first
    if first < 0xE0:
        at[0] = byte + 2
        return (first & 0x1F) << 6 | byte[1] & 0x3F
    if first < 0xF0:
        at[0] = byte + 3
        return (first & 0x0F) << 12 | (byte[1] & 0x3F) << 6 | byte[2] & 0x3F
    at[0] = byte + 4
    return (first & 0x07) << 18 | (byte[1] & 0x3F) << 12 | (byte[2] & 0x3F) << 6 | byte[3] & 0x3F


cdef inline void run_begin(Run *run) noexcept:
    run.text.size = 0
    run.blank = 0
    run.classes = 0
    run.beyond = False


cdef inline void run_break(Run *run) noexcept:
    run.blank = c"\n"


cdef inline int add_collapsed(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text with each stretch of white space as one blank; return how many characters are not blank."""
    reserve(&run.text, size + 1)
    cdef char *begin = run.text.bytes
    cdef char *out = begin + run.text.size
    cdef const unsigned char *end = at + size
    cdef const unsigned char *start
    cdef int seen = run.classes, solid = 0, of_this
    cdef unsigned int point
    cdef char blank = run.blank
    while at < end:
        start = at
        point = next_point(&at)
        of_this = classes[point] if point < KNOWN else 0
        if of_this & SPACE:
            if point == LINE_BREAK:
                blank = c"\n"
            elif not blank:
                blank = c" "
            continue
        if blank:
            if out != begin:
                out[0] = blank
                out += 1
            blank = 0
        seen |= of_this
        solid += 1
        run.beyond |= point >= KNOWN
        while start < at:
            out[0] = start[0]
            out += 1
            start += 1
        while at < end and at[0] < 0x80 and not classes[at[0]] & SPACE:
            seen |= classes[at[0]]
            solid += 1
            out[0] = at[0]
            out += 1
            at += 1
    run.text.size = out - begin
    run.classes = seen
    run.blank = blank
    return solid


cdef inline int add_verbatim(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text as it is; return how many of its characters are not white space."""
    cdef const unsigned char *end = at + size
    cdef unsigned int point
    cdef int solid = 0
    put(&run.text, <const char *>at, size)
    while at < end:
        point = next_point(&at)
        solid += point >= KNOWN or not classes[point] & SPACE
    return solid


# --- marks ----------------------------------------------------------------------------------

cdef struct Mark:
    # The fields have the names and meanings of the columns of `templ_core.dom.document.Marks`.
    int node, segment, start, end, target, label


cdef struct Marks:
    Mark *rows
    int count, room
    int first               # first row of the segment whose text is being put together
    Mark *open              # marks of the open elements, the innermost last
    int open_count, open_room


cdef inline void marks_end(Marks *marks) noexcept:
    free(marks.rows)
    free(marks.open)


cdef inline int add_mark(Marks *marks, Mark mark) except -1:
    if marks.count == marks.room:
        marks.room = 2 * marks.room + 256
        marks.rows = <Mark *>resized(marks.rows, marks.room * sizeof(Mark))
    marks.rows[marks.count] = mark
    marks.count += 1
    return 0


cdef inline int read_shown(
    Mark *mark, list values, const char **attributes, const char **moved, int traits, decoded
) except -1:
    """Read the address and the label of an element.

    Args:
        mark: Where their numbers go.
        values: Where they go.
        attributes: Names and values of the element's attributes, as the parser read them; NULL without any.
        moved: Its attributes by their numbers, as the table has them.
        traits: What its tag shows.
        decoded: Reads character references; the table's values have them.
    """
    cdef Shown shown
    cdef const char *address
    cdef int place = 0
    if attributes == NULL:
        mark.target = _put_raw_value(values, moved[TARGET], decoded)
        mark.label = _put_raw_value(values, moved[LABEL], decoded)
    elif traits & IS_SHOWN:
        shown.count = 0
        while attributes[place] != NULL:
            show_attribute(
                &shown, attributes[place], strlen(attributes[place]), value_at(attributes, place),
                strlen(value_at(attributes, place)),
            )
            place += 2
        show(&shown, traits)
        mark.target = _put_value(values, shown.target.value, shown.target.value_bytes)
        mark.label = _put_value(values, shown.label.value, shown.label.value_bytes)
    else:
        address = attribute_of(attributes, "href")
        mark.target = _put_value(values, address, strlen(address))
    return 0


cdef inline int open_mark(Marks *marks, Mark mark) except -1:
    """Begin the mark of an element."""
    if marks.open_count == marks.open_room:
        marks.open_room = 2 * marks.open_room + 16
        marks.open = <Mark *>resized(marks.open, marks.open_room * sizeof(Mark))
    marks.open[marks.open_count] = mark
    marks.open_count += 1
    return 0


cdef inline int close_mark(Marks *marks, int at) except -1:
    """End the mark of the innermost open element."""
    marks.open_count -= 1
    cdef Mark mark = marks.open[marks.open_count]
    mark.end = at
    return add_mark(marks, mark)


cdef inline int end_marks(Marks *marks, int segment, int shift, int size) except -1:
    """End the segment of a page's marks; open marks go on in the next segment.

    Args:
        marks: The marks of the page.
        segment: Number of the segment; of the one that comes next where its text was not kept.
        shift: Bytes that were cut from the beginning of its text.
        size: Bytes of its text; -1 = it was not kept, and only images and links are.
    """
    cdef int number, kept = marks.first
    cdef Mark mark
    if size >= 0:
        for number in range(marks.open_count):
            mark = marks.open[number]
            mark.end = size + shift
            if mark.end > mark.start:
                add_mark(marks, mark)
    for number in range(marks.first, marks.count):
        mark = marks.rows[number]
        if size < 0 or mark.start < 0:
            mark.start, mark.end = -1, -1
        else:
            mark.start = min(max(mark.start - shift, 0), size)
            mark.end = min(max(mark.end - shift, 0), size)
        mark.segment = segment
        if mark.start < mark.end or mark.target >= 0 or mark.label >= 0:
            marks.rows[kept] = mark
            kept += 1
    marks.count = marks.first = kept
    for number in range(marks.open_count):
        marks.open[number].start = 0
    return 0


cdef inline int _put_value(list values, const char *value, Py_ssize_t size) except? -2:
    """Return the place of a value; -1 for a missing or empty one."""
    if value == NULL or not size:
        return -1
    values.append(PyUnicode_DecodeUTF8(value, size, "replace"))
    return len(values) - 1


cdef inline int _put_raw_value(list values, const char *value, decoded) except? -2:
    """Return the place of a value with character references; -1 for a missing or empty one."""
    cdef int place = _put_value(values, value, strlen(value) if value != NULL else 0)
    if place >= 0 and strchr(value, c"&") != NULL:
        values[place] = decoded(values[place])
    return place
