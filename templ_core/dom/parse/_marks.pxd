# The marks of a page: where links, images and emphasis begin and end in the text of segments.

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport free
from libc.string cimport strchr, strlen, strncmp
from lxml.includes.tree cimport xmlNode

from templ_core._byte_string cimport resized
from templ_core.dom.parse._attribute_table cimport LABEL, TARGET
from templ_core.dom.parse._nodes cimport attribute_of


cdef struct Mark:
    # The fields have the names and meanings of the columns of `templ_core.dom.marks.Marks`.
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


cdef inline int _add_mark(Marks *marks, Mark mark) except -1:
    if marks.count == marks.room:
        marks.room = 2 * marks.room + 256
        marks.rows = <Mark *>resized(marks.rows, marks.room * sizeof(Mark))
    marks.rows[marks.count] = mark
    marks.count += 1
    return 0


cdef inline int open_mark(
    Marks *marks, list values, xmlNode *element, const char **attributes, int node, int at,
    bint is_image, decoded
) except -1:
    """Begin the mark of an element.

    Args:
        marks: The marks of the page.
        values: Where its address and its label go.
        element: The element.
        attributes: Its attributes by their numbers, as the table or the parser has them.
        node: Its row.
        at: Size of the text of the segment so far, in bytes.
        is_image: Whether it is an image.
        decoded: Reads character references; the table's values have them.
    """
    if marks.open_count == marks.open_room:
        marks.open_room = 2 * marks.open_room + 16
        marks.open = <Mark *>resized(marks.open, marks.open_room * sizeof(Mark))
    cdef Mark *mark = &marks.open[marks.open_count]
    marks.open_count += 1
    mark[0] = Mark(node, 0, at, at, -1, -1)
    if element.properties == NULL:
        mark.target = _put_raw_value(values, attributes[TARGET], decoded)
        mark.label = _put_raw_value(values, attributes[LABEL], decoded)
    elif is_image:
        mark.target = _put_value(values, _source_of(element))
        mark.label = _put_value(values, attribute_of(element, "alt"))
    else:
        mark.target = _put_value(values, attribute_of(element, "href"))
    return 0


cdef inline int close_mark(Marks *marks, int at) except -1:
    """End the mark of the innermost open element."""
    marks.open_count -= 1
    cdef Mark mark = marks.open[marks.open_count]
    mark.end = at
    return _add_mark(marks, mark)


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
                _add_mark(marks, mark)
    for number in range(marks.first, marks.count):
        mark = marks.rows[number]
        if size < 0:
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


cdef inline int _put_value(list values, const char *value) except? -2:
    """Return the place of a value; -1 for an empty one."""
    if not value[0]:
        return -1
    values.append(PyUnicode_DecodeUTF8(value, strlen(value), NULL))
    return len(values) - 1


cdef inline int _put_raw_value(list values, const char *value, decoded) except? -2:
    """Return the place of a value with character references; -1 for a missing or empty one."""
    cdef int place = _put_value(values, value) if value != NULL else -1
    if place >= 0 and strchr(value, c"&") != NULL:
        values[place] = decoded(values[place])
    return place


cdef inline const char *_source_of(xmlNode *image) noexcept:
    """Return the address of an image, also where a script is to load it later."""
    cdef const char *source = attribute_of(image, "src")
    cdef const char *later = attribute_of(image, "data-src")
    if source[0] and strncmp(source, "data:", 5):
        return source
    return later
