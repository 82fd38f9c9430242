# The delimiters of emphasis, deleted text, code and formulas in a line of Markdown.
#
# What a delimiter means in CommonMark depends on the characters beside it (section 6.2), so delimiters are noted
# with their places while a segment is written and put in at its end. Where asterisks or tildes would not be read
# as they are meant, the element is written as HTML.

from cpython.unicode cimport Py_UNICODE_ISALNUM, Py_UNICODE_ISSPACE
from libc.stdlib cimport free

from templ_core._byte_string cimport Text, put, resized

cdef enum:
    LINK = 1                # kinds of marks
    IMAGE = 2
    STRONG = 3
    EMPHASIS = 4
    CODE = 5
    SUBSCRIPT = 6
    SUPERSCRIPT = 7
    DELETED = 8
    FORMULA = 9
    FORMULA_BLOCK = 10

cdef enum:
    BLANK, PUNCTUATION, SYMBOL, OTHER       # classes of characters; readers differ on what a symbol is

cdef enum:
    PASSES_MAX = 8          # after which what still changes is HTML


cdef struct Delimiter:
    Py_ssize_t at           # before this byte of the text
    int kind
    int element             # which both its delimiters have
    bint opens
    bint is_html


cdef struct Delimiters:
    Delimiter *items
    int count, room
    int elements


cdef inline int open_element(Delimiters *all, int kind, Py_ssize_t at) except -1:
    """Begin an element; return its number. One that begins where its like has just ended goes on with it."""
    cdef Delimiter *last = &all.items[all.count - 1]
    if all.count and last.kind == kind and not last.opens and last.at == at and kind < FORMULA:
        all.count -= 1
        return last.element
    all.elements += 1
    _add(all, Delimiter(at, kind, all.elements - 1, True, False))
    return all.elements - 1


cdef inline int close_element(Delimiters *all, int kind, int element, Py_ssize_t at) except -1:
    """End an element; an empty one is forgotten."""
    cdef Delimiter *last = &all.items[all.count - 1]
    if all.count and last.element == element and last.opens and last.at == at:
        all.count -= 1
        return 0
    return _add(all, Delimiter(at, kind, element, False, False))


cdef inline bint ends_with_delimiter(const Delimiters *all, Py_ssize_t size) noexcept:
    """Return whether a delimiter is noted at the end of what is written."""
    return all.count > 0 and all.items[all.count - 1].at == size


cdef inline int _add(Delimiters *all, Delimiter one) except -1:
    if all.count == all.room:
        all.room = 2 * all.room + 32
        all.items = <Delimiter *>resized(all.items, all.room * sizeof(Delimiter))
    all.items[all.count] = one
    all.count += 1
    return 0


cdef inline int put_delimiters(Delimiters *all, const Text *text, Text *out, category) except -1:
    """Write a text with its delimiters; `category` returns the Unicode category of a character."""
    cdef int number, passes = 0
    cdef Py_ssize_t done = 0
    cdef Delimiter *one
    cdef bint *as_html = <bint *>resized(NULL, (all.elements + 1) * sizeof(bint))
    try:
        for number in range(all.elements):
            as_html[number] = False
        while passes < PASSES_MAX and _refuse(all, text, as_html, category):
            passes += 1
        out.size = 0
        for number in range(all.count):
            one = &all.items[number]
            one.is_html |= passes == PASSES_MAX and (one.kind <= EMPHASIS or one.kind == DELETED)
            put(out, text.bytes + done, one.at - done)
            done = one.at
            _put_delimiter(all, number, text, out)
        return put(out, text.bytes + done, text.size - done)
    finally:
        free(as_html)


cdef inline int _put_delimiter(Delimiters *all, int number, const Text *text, Text *out) except -1:
    cdef const Delimiter *one = &all.items[number]
    cdef Py_ssize_t ticks
    cdef bint is_padded
    if one.kind == STRONG:
        return _put(out, b"**" if not one.is_html else b"<strong>" if one.opens else b"</strong>")
    if one.kind == EMPHASIS:
        return _put(out, b"*" if not one.is_html else b"<em>" if one.opens else b"</em>")
    if one.kind == DELETED:
        return _put(out, b"~~" if not one.is_html else b"<del>" if one.opens else b"</del>")
    if one.kind == FORMULA:
        if one.opens and out.size and out.bytes[out.size - 1] == c"$":
            put(out, " ", 1)
        return put(out, "$", 1)
    if one.kind == FORMULA_BLOCK:
        return put(out, "$$", 2)
    # Nothing else is noted inside code, so its delimiters are neighbours.
    cdef const Delimiter *other = &all.items[number + 1 if one.opens else number - 1]
    ticks = _ticks(text, min(one.at, other.at), max(one.at, other.at), &is_padded)
    if is_padded and not one.opens:
        put(out, " ", 1)
    for _ in range(ticks):
        put(out, "`", 1)
    if is_padded and one.opens:
        put(out, " ", 1)
    return 0


cdef inline int _put(Text *out, bytes piece) except -1:
    return put(out, <const char *>piece, len(piece))


cdef inline Py_ssize_t _ticks(
    const Text *text, Py_ssize_t at, Py_ssize_t end, bint *is_padded
) noexcept:
    """Return how many backticks are around code: the shortest run that it does not have; none around blanks."""
    cdef unsigned int lengths = 0           # a bit for each length of a run in it
    cdef Py_ssize_t run = 0, longest = 0, place
    cdef bint is_blank = True
    is_padded[0] = text.bytes[at] == c"`" or text.bytes[end - 1] == c"`" or (
        text.bytes[at] == c" " and text.bytes[end - 1] == c" "
    )
    for place in range(at, end + 1):
        if place < end and text.bytes[place] == c"`":
            run += 1
            continue
        is_blank = is_blank and (place == end or text.bytes[place] == c" ") and not run
        if run and run < 32:
            lengths |= <unsigned int>1 << run
        longest = max(longest, run)
        run = 0
    if is_blank:
        is_padded[0] = False
        return 0
    for place in range(1, 32):
        if not lengths >> place & 1:
            return place
    return longest + 1


# --- what asterisks and tildes are read as ---------------------------------------------------


cdef inline bint _is_read(const Delimiter *one) noexcept:
    """Return whether the meaning of a delimiter depends on the characters beside it."""
    return not one.is_html and (one.kind == STRONG or one.kind == EMPHASIS or one.kind == DELETED)


cdef inline bint _is_one_run(const Delimiter *one, const Delimiter *other) noexcept:
    return one.at == other.at and _is_read(other) and (one.kind == DELETED) == (other.kind == DELETED)


cdef inline int _refuse(Delimiters *all, const Text *text, bint *as_html, category) except -1:
    """Let elements be HTML whose delimiters are not read as meant; return how many became so."""
    cdef int first = 0, behind, number, refused = 0, before, after, length, opening
    cdef bint is_right
    cdef const Delimiter *one
    cdef int outer = 0                      # lengths of the runs that may be open, as bits
    cdef int depth = 0                      # elements with asterisks that are open
    while first < all.count:
        one = &all.items[first]
        if not _is_read(one):
            first += 1
            continue
        behind, length, opening = first, 0, 0
        while behind < all.count and _is_one_run(one, &all.items[behind]):
            length += 2 if all.items[behind].kind == STRONG else 1
            opening += all.items[behind].opens
            behind += 1
        if first and all.items[first - 1].at == one.at:
            before = PUNCTUATION
        else:
            before = class_before(text, one.at, category)
        if behind < all.count and all.items[behind].at == one.at:
            after = PUNCTUATION
        else:
            after = class_at(text, one.at, category)
        if one.opens:
            is_right = _flanks(after, before)
            if depth and one.kind != DELETED and _may_flank(before, after):
                # It must not be read as the end of an element around it.
                for number in range(1, 4):
                    if outer >> number & 1 and ((number + length) % 3 or number == 3):
                        is_right = False
        else:
            is_right = _flanks(before, after)
        for number in range(first, behind):
            if not is_right or all.items[number].opens != one.opens:
                refused += not as_html[all.items[number].element]
                as_html[all.items[number].element] = True
        if one.kind != DELETED:
            depth += 2 * opening - (behind - first)
            outer = outer | 1 << min(length, 3) if depth > 0 else 0
        first = behind
    if refused:
        for number in range(all.count):
            all.items[number].is_html = as_html[all.items[number].element]
    return refused


cdef inline bint _flanks(int inside, int outside) noexcept:
    """Return whether a delimiter between such characters is read, whatever symbols are taken for."""
    return inside != BLANK and (inside == OTHER or outside == BLANK or outside == PUNCTUATION)


cdef inline bint _may_flank(int inside, int outside) noexcept:
    return inside != BLANK and (inside != PUNCTUATION or outside != OTHER)


cdef inline int class_before(const Text *text, Py_ssize_t at, category) except -1:
    cdef Py_ssize_t start = at - 1
    while start > 0 and text.bytes[start] & 0xC0 == 0x80:
        start -= 1
    return BLANK if at == 0 else class_at(text, start, category)


cdef inline int class_at(const Text *text, Py_ssize_t at, category) except -1:
    """Return the class of the character that begins at a byte; the end is blank."""
    if at == text.size:
        return BLANK
    cdef const unsigned char *byte = <const unsigned char *>text.bytes + at
    cdef Py_UCS4 point
    if byte[0] < 0x80:
        if c"0" <= byte[0] <= c"9" or c"a" <= byte[0] | 32 <= c"z":
            return OTHER
        return BLANK if byte[0] <= c" " else PUNCTUATION
    if at + 4 > text.size and at + 2 + (byte[0] >= 0xE0) + (byte[0] >= 0xF0) > text.size:
        return OTHER    # half a character, at which a stored mark may begin
    if byte[0] < 0xE0:
        point = (byte[0] & 0x1F) << 6 | byte[1] & 0x3F
    elif byte[0] < 0xF0:
        point = (byte[0] & 0x0F) << 12 | (byte[1] & 0x3F) << 6 | byte[2] & 0x3F
    else:
        point = (byte[0] & 0x07) << 18 | (byte[1] & 0x3F) << 12 | (byte[2] & 0x3F) << 6 | byte[3] & 0x3F
    if point > 0x10FFFF or Py_UNICODE_ISALNUM(point):
        return OTHER
    if Py_UNICODE_ISSPACE(point):
        return BLANK
    cdef str found = category(chr(point))
    return PUNCTUATION if found[0] == "P" else SYMBOL if found[0] == "S" else OTHER
