# The text of a segment while it is put together, white space collapsed, or verbatim in `pre`; and the marks
# of a page: where links, images and emphasis begin and end in the text of segments.

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memcmp, strchr, strlen

from templ_core._byte_string cimport Text, put, reserve, resized
from templ_core._letters cimport KNOWN, SPACE, UNSEEN, WORD
from templ_core.dom.parse._attribute_table cimport LABEL, TARGET
from templ_core.dom.parse._libxml2 cimport attribute_of, value_at
from templ_core.dom.parse._shown_values cimport IS_SHOWN, Shown, show, show_attribute

cdef enum:
    LINE_BREAK = 0x0B       # vertical tab: a line break that survives the collapsing
    BULLET_BYTES = 3
    DOT_BYTES = 2           # of the middle dot, a letter in Catalan
    SEAM = 1                # in place of a blank: one is written if words meet there


cdef struct Run:
    Text text
    char blank              # to be written before the next character, or SEAM; 0 = none
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
        if of_this & (SPACE | UNSEEN):
            if point == LINE_BREAK:
                blank = c"\n"
            elif blank <= SEAM and of_this & SPACE:
                blank = c" "
            continue
        if blank:
            if blank == SEAM:
                blank = c" " if of_this & WORD and out != begin and is_word_byte((out - 1)[0]) else 0
            if out != begin and blank:
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


cdef inline bint is_word_byte(char byte) noexcept:
    """Return whether a byte of UTF-8 belongs to a letter or digit, as far as one byte shows."""
    return byte < 0 or c"a" <= byte | 32 <= c"z" or c"0" <= byte <= c"9"


cdef inline void run_seam(Run *run) noexcept:
    """Keep the words before and after this place apart."""
    if not run.blank:
        run.blank = SEAM


cdef inline int add_verbatim(
    Run *run, const unsigned char *at, Py_ssize_t size, const uint16_t *classes
) except -1:
    """Add text as it is, but for characters that nobody sees; return how many others are not white space."""
    cdef const unsigned char *end = at + size
    cdef const unsigned char *written = at
    cdef const unsigned char *start
    cdef unsigned int point
    cdef int solid = 0, of_this
    while at < end:
        start = at
        point = next_point(&at)
        of_this = classes[point] if point < KNOWN else 0
        solid += not of_this & (SPACE | UNSEEN)
        if of_this & UNSEEN:
            put(&run.text, <const char *>written, start - written)
            written = at
    put(&run.text, <const char *>written, end - written)
    return solid


cdef inline bint begin_bullet(
    Run *run, const unsigned char **at, int *size, const uint16_t *classes
) except -1:
    """Keep a bullet that begins a text apart from the word behind it; return whether a bullet was read.

    Args:
        run: The text so far: nothing, or as many bytes as a bullet has.
        at: What follows; it moves behind a bullet.
        size: Bytes of that.
        classes: Classes of characters.
    """
    cdef const unsigned char *begin = at[0]
    cdef const unsigned char *end = begin + size[0]
    cdef const unsigned char *after = begin
    cdef bint begins = run.text.size == 0
    if begins:
        while after < end and _is_in(next_point(&after), SPACE | UNSEEN, classes):
            begin = after
        if end - begin <= BULLET_BYTES or not _is_bullet(begin):
            return False
        begin += BULLET_BYTES
    elif run.blank or not _is_bullet(<const unsigned char *>run.text.bytes):
        return False
    if not _is_in(_next_seen(begin, end, classes), WORD, classes):
        return False
    if begins:
        put(&run.text, <const char *>begin - BULLET_BYTES, BULLET_BYTES)
        at[0], size[0] = begin, <int>(end - begin)
    run.blank = c" "
    return begins


cdef inline unsigned int _next_seen(const unsigned char *at, const unsigned char *end, const uint16_t *classes) noexcept:
    """Return the first character that is seen, blanks included; 0 = there is none."""
    cdef unsigned int point
    while at < end:
        point = next_point(&at)
        if not _is_in(point, UNSEEN, classes):
            return point
    return 0


cdef inline void skip_bullet(const unsigned char **at, int *size, const uint16_t *classes) noexcept:
    """Move behind a bullet that begins the text of a list item, which has one by its element."""
    cdef const unsigned char *begin = at[0]
    cdef const unsigned char *end = begin + size[0]
    cdef const unsigned char *after = begin
    cdef unsigned int point
    while after < end and _is_in(next_point(&after), SPACE | UNSEEN, classes):
        begin = after
    if end - begin >= BULLET_BYTES and _is_bullet(begin):
        begin += BULLET_BYTES
    elif end - begin >= DOT_BYTES and not memcmp(begin, b"\xc2\xb7", DOT_BYTES):
        begin += DOT_BYTES
        point = _next_seen(begin, end, classes)
        if point and not _is_in(point, SPACE, classes):
            return
    else:
        return
    at[0], size[0] = begin, <int>(end - begin)


cdef inline bint _is_in(unsigned int point, int wanted, const uint16_t *classes) noexcept:
    """Return whether a character is of one of the classes; one that no table knows is of none."""
    return point < KNOWN and classes[point] & wanted != 0


cdef inline bint _is_bullet(const unsigned char *at) noexcept:
    return at[0] == 0xE2 and (
        not memcmp(at, b"\xe2\x80\xa2", 3) or not memcmp(at, b"\xe2\x97\x8f", 3)
        or not memcmp(at, b"\xe2\x96\xaa", 3) or not memcmp(at, b"\xe2\x97\xa6", 3)
        or not memcmp(at, b"\xe2\x80\xa3", 3)
    )


# --- marks ----------------------------------------------------------------------------------

cdef struct Mark:
    # The fields have the names and meanings of the columns of `templ_core.dom.document.Marks`.
    int node, segment, start, end, target, label


cdef struct Slice:          # a stretch of the run's text that has become a segment or a sign, or was not kept
    Py_ssize_t start, end
    Py_ssize_t shift        # where the text that was kept begins
    int size                # bytes of that; -1 = it was not kept
    int number              # of the segments and signs; of the one that comes next where it was not kept
    int first_node          # a mark of no text where two slices meet is in the later one from this element on


cdef struct Marks:
    Mark *rows
    int count, room
    Mark *closed            # marks in the text that is being put together whose elements have ended
    int closed_count, closed_room
    Mark *open              # marks of the open elements, the innermost last
    int open_count, open_room
    Slice *slices           # of that text
    int slice_count, slice_room


cdef inline void marks_end(Marks *marks) noexcept:
    free(marks.rows)
    free(marks.closed)
    free(marks.open)
    free(marks.slices)


cdef inline bint has_marks(const Marks *marks) noexcept:
    """Return whether an element in the text that is being put together has a mark."""
    return marks.closed_count > 0 or marks.open_count > 0


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
    if marks.closed_count == marks.closed_room:
        marks.closed_room = 2 * marks.closed_room + 64
        marks.closed = <Mark *>resized(marks.closed, marks.closed_room * sizeof(Mark))
    marks.open_count -= 1
    marks.closed[marks.closed_count] = marks.open[marks.open_count]
    marks.closed[marks.closed_count].end = at
    marks.closed_count += 1
    return 0


cdef inline int add_slice(Marks *marks, Slice one) except -1:
    """Note what has become of the next stretch of the run's text."""
    if marks.slice_count == marks.slice_room:
        marks.slice_room = 2 * marks.slice_room + 16
        marks.slices = <Slice *>resized(marks.slices, marks.slice_room * sizeof(Slice))
    marks.slices[marks.slice_count] = one
    marks.slice_count += 1
    return 0


cdef inline int end_marks(Marks *marks, Py_ssize_t size) except -1:
    """Place the marks of a run of text of this size in its slices; open marks go on in the next run."""
    cdef int number
    for number in range(marks.open_count):
        marks.open[number].end = size
        if size > marks.open[number].start:
            _place_mark(marks, marks.open[number])
        marks.open[number].start = 0
    for number in range(marks.closed_count):
        _place_mark(marks, marks.closed[number])
    marks.closed_count = marks.slice_count = 0
    return 0


cdef inline int _place_mark(Marks *marks, Mark mark) except -1:
    """Add a row for each slice in which the mark has text; for its only one if it has none."""
    cdef int low = 0, high = marks.slice_count, middle, number
    cdef bint has_text = mark.end > mark.start
    cdef Slice *one
    cdef Mark row = mark
    while high - low > 1:
        middle = (low + high) // 2
        one = &marks.slices[middle]
        if one.start < mark.start or (
            one.start == mark.start and (has_text or one.first_node <= mark.node)
        ):
            low = middle
        else:
            high = middle
    for number in range(low, marks.slice_count):
        one = &marks.slices[number]
        if number > low and one.start >= mark.end:
            break
        if one.size < 0:
            row.start = row.end = -1
        else:
            row.start = min(max(mark.start - one.shift, 0), one.size)
            row.end = min(max(mark.end - one.shift, 0), one.size)
        row.segment = one.number
        if row.start < row.end or (
            (number == low or one.size < 0) and (row.target >= 0 or row.label >= 0)
        ):
            add_mark(marks, row)
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
