"""What a pair of tag and attributes says about the elements that have it, wherever they stand.

It is read once for each element type and remembered, because the pages of a site share most of them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from templ_core._arrays cimport items
from templ_core._blake2b cimport blake2b
from templ_core._byte_string cimport Text, encode_point, put, reserve
from templ_core._letters cimport DIGIT, KNOWN, SPACE
from templ_core.site_level.places._element_types cimport (
    CELL, COLUMNS, HEADING, IS_BLOCK, STEM, TAG
)

from templ_core.dom.tags import HEADING_LEVELS, INLINE
from templ_core.letters import letter_tables

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    uint32_t *PyUnicode_AsUCS4(object text, uint32_t *points, Py_ssize_t room, int end) except NULL

cdef enum:
    KNOWN_MAX = 1 << 14         # element types that are remembered, some 300 bytes each
    CLASSES_MAX = 2             # classes that a stem names
    ID_CHARS_MIN = 2            # shortest id, without digits, that a stem names
    ID_CHARS_MAX = 39
    PASSING_COUNT = 21
    ATTRIBUTE_CHARS_MAX = 512   # characters of the attributes that a stem is read from

_CELLS = {tag: number for number, tag in enumerate((
    "center", "div", "dl", "font", "form", "section", "span", "table", "tbody", "td", "tr", "ul",
), 1)}
"""Numbers, below `CELLS`, of the tags of layout elements: by position they are told apart where they have neither id nor
class."""
ctypedef const char *Beginning

cdef Beginning[PASSING_COUNT] PASSING = [
    b"category", b"tag", b"author", b"postid", b"post-", b"page-id", b"term", b"status-", b"format-",
    b"type-", b"hentry", b"has-", b"js-", b"active", b"current", b"odd", b"even", b"first", b"last",
    b"wp-image", b"menu-item-",
]
"""Beginnings of classes that name what is shown, or its state, rather than the place."""

cdef struct Attributes:
    uint32_t *points
    Py_ssize_t id_end           # the id is points[0 .. id_end - 1]
    Py_ssize_t classes_end      # and the classes are points[id_end + 1 .. classes_end - 1]
    Py_ssize_t stem_end         # where the part is over that a stem is read from

cdef dict _known = {}                   # the rows of element types that were met, by pair of tag and attributes
cdef const uint16_t *class_of = NULL    # the classes of `templ_core.letters`, set when the first row is made


def element_type_rows(document):
    """Return what is known about each of a document's element types; (n_element_types, COLUMNS).

    The columns are named in `_element_types.pxd`:

    * TAG, STEM: hashes (BLAKE2b) of the tag; of tag, id and first classes without what differs from page to page.
    * IS_BLOCK: 1 for blocks.
    * CELL: number of the tag among the layout elements, from 1; 0 for other tags.
    * HEADING: 2 for `h1`, 1 for other headings.
    """
    cdef list element_types = document.nodes.element_types
    cdef Py_ssize_t number, count = len(element_types)
    cdef bytes known
    rows = np.empty((count, COLUMNS), np.uint64)
    cdef uint64_t *row = <uint64_t *>items(rows, 8, True)
    for number in range(count):
        pair = element_types[number]
        known = _known.get(pair)
        if known is None:
            known = _row(pair[0], pair[1])
            if len(pair[0]) + len(pair[1]) <= ATTRIBUTE_CHARS_MAX:  # Others would take much memory.
                if len(_known) >= KNOWN_MAX:
                    _known.clear()
                _known[pair] = known
        memcpy(row + number * COLUMNS, <const char *>known, COLUMNS * sizeof(uint64_t))
    return rows


cdef bytes _row(str tag, str attributes):
    """Return the row of an element type; its attributes are a line each, the first two the id and the classes."""
    global class_of
    if class_of == NULL:
        class_of = <const uint16_t *>items(letter_tables()[0], 2)
    cdef uint64_t row[COLUMNS]
    cdef Text text = Text(NULL, 0, 0)
    cdef Py_ssize_t size = PyUnicode_GetLength(attributes), tag_size = PyUnicode_GetLength(tag), named
    cdef uint32_t *points = <uint32_t *>malloc((tag_size + size + 2) * sizeof(uint32_t))
    if points == NULL:
        raise MemoryError
    cdef Attributes own
    own.points = points + tag_size + 1
    try:
        PyUnicode_AsUCS4(tag, points, tag_size + 1, 1)
        PyUnicode_AsUCS4(attributes, own.points, size + 1, 1)
        own.id_end = _line_end(own.points, 0, size)
        own.classes_end = _line_end(own.points, min(own.id_end + 1, size), size)
        own.stem_end = min(size, ATTRIBUTE_CHARS_MAX)
        _put_points(&text, points, tag_size)
        named = text.size
        row[TAG] = blake2b(<const uint8_t *>text.bytes, named)
        _put_stem(&text, &own)
        row[STEM] = blake2b(<const uint8_t *>text.bytes, text.size)
    finally:
        free(points)
        free(text.bytes)
    row[IS_BLOCK], row[CELL] = tag not in INLINE, _CELLS.get(tag, 0)
    row[HEADING] = (tag in HEADING_LEVELS) + (tag == "h1")
    return (<char *>row)[: sizeof(row)]


cdef Py_ssize_t _line_end(const uint32_t *points, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Return the index of the first line feed from `at` on, or `size`."""
    while at < size and points[at] != c"\n":
        at += 1
    return at


cdef int _put_stem(Text *text, const Attributes *own) except -1:
    """Add id and first classes of an element, without digits and classes that name no place."""
    cdef Py_ssize_t at, end = min(own.id_end, own.stem_end), chars = 0, start, count = 0
    for at in range(end):
        chars += not _is(own.points[at], DIGIT)
    if ID_CHARS_MIN <= chars <= ID_CHARS_MAX:
        put(text, "#", 1)
        _put_without_digits(text, own.points, end)
    at, end = own.id_end + 1, min(own.classes_end, own.stem_end)
    while count < CLASSES_MAX and _next_class(own.points, &at, end, &start):
        if not _is_passing(own.points + start, at - start):
            put(text, ".", 1)
            _put_without_digits(text, own.points + start, at - start)
            count += 1
    return 0


cdef bint _next_class(
    const uint32_t *points, Py_ssize_t *at, Py_ssize_t end, Py_ssize_t *start
) noexcept:
    """Find the next class from `at` on, and move `at` behind it; return False if there is none."""
    while at[0] < end and _is(points[at[0]], SPACE):
        at[0] += 1
    start[0] = at[0]
    while at[0] < end and not _is(points[at[0]], SPACE):
        at[0] += 1
    return start[0] < at[0]


cdef bint _is_passing(const uint32_t *name, Py_ssize_t size) noexcept:
    """Return whether a class is a single character, begins with a digit, or begins as one of `PASSING`."""
    cdef const char *beginning
    cdef Py_ssize_t number, at
    if size == 1 or _is(name[0], DIGIT):
        return True
    for number in range(PASSING_COUNT):
        beginning, at = PASSING[number], 0
        while beginning[at] and at < size and name[at] == <unsigned char>beginning[at]:
            at += 1
        if not beginning[at]:
            return True
    return False


cdef inline bint _is(uint32_t point, int bits) noexcept:
    return class_of[min(point, <uint32_t>KNOWN)] & bits != 0


cdef int _put_without_digits(Text *text, const uint32_t *points, Py_ssize_t size) except -1:
    cdef Py_ssize_t at
    for at in range(size):
        if not _is(points[at], DIGIT):
            _put_points(text, points + at, 1)
    return 0


cdef int _put_points(Text *text, const uint32_t *points, Py_ssize_t size) except -1:
    """Add characters in UTF-8, with a question mark for what has no such form."""
    cdef Py_ssize_t at
    cdef uint32_t point
    reserve(text, 4 * size)
    for at in range(size):
        point = c"?" if 0xD800 <= points[at] <= 0xDFFF else points[at]
        text.size += encode_point(point, <uint8_t *>text.bytes + text.size)
    return 0
