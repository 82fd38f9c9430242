# What the attributes of an element say that only its written forms need: where an image is and what it shows, and the
# numbers of lists and of cells.
#
# Attributes are given as they stand in the markup or as the parser read them; both have one form here.

from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp, strlen

cdef enum:
    SHOWS_IMAGE = 1 << 20   # traits of tags, for `strip_markup` and for `page_columns`
    SHOWS_SOURCE = 1 << 21  # `source`, of the image that follows in a `picture`
    NUMBERS_LIST = 1 << 22  # `ol`
    NUMBERS_ITEM = 1 << 23  # `li`
    SPANS = 1 << 24         # cells of tables

cdef enum:
    NUMBERS = NUMBERS_LIST | NUMBERS_ITEM | SPANS
    IS_SHOWN = SHOWS_IMAGE | SHOWS_SOURCE | NUMBERS
    NAMED_MAX = 48          # attributes of an element that are looked at
    LABEL_BYTES = 32
    COLUMNS_MAX = 1000      # that a cell spans, as in browsers
    ROWS_MAX = 65534

cdef enum:
    NUMBER_MAX = 0x7FFFFFFF     # larger numbers of lists are none, as in browsers


cdef struct Named:
    const char *name        # of an attribute
    Py_ssize_t name_bytes
    const char *value
    Py_ssize_t value_bytes


cdef struct Shown:
    Named attributes[NAMED_MAX]
    int count
    Named target            # whose value is the address of an image; NULL = none
    Named label             # and its alternative text, or the numbers of another element
    char numbers[LABEL_BYTES]


cdef inline void show_attribute(
    Shown *shown, const char *name, Py_ssize_t name_bytes, const char *value, Py_ssize_t value_bytes
) noexcept:
    """Add an attribute of the element; further ones than are looked at are none."""
    if shown.count < NAMED_MAX:
        shown.attributes[shown.count] = Named(name, name_bytes, value, value_bytes)
        shown.count += 1


cdef inline void show(Shown *shown, int traits) noexcept:
    """Find out target and label of an element whose attributes were all added."""
    shown.target.value = shown.label.value = NULL
    if traits & SHOWS_IMAGE:
        _show_image(shown)
    elif traits & SHOWS_SOURCE:
        _show_set(shown)
    else:
        _show_numbers(shown, traits)


cdef inline const Named *_named(const Shown *shown, const char *name) noexcept:
    """Return the first attribute of a name; NULL for a missing or an empty one."""
    cdef int number
    for number in range(shown.count):
        if _is(&shown.attributes[number], name):
            return &shown.attributes[number] if shown.attributes[number].value_bytes else NULL
    return NULL


cdef inline bint _is(const Named *one, const char *name) noexcept:
    cdef Py_ssize_t at
    for at in range(one.name_bytes):
        if name[at] != one.name[at] and name[at] != (one.name[at] | 32):
            return False
    return name[one.name_bytes] == 0


# --- images ---------------------------------------------------------------------------------


cdef inline void _show_image(Shown *shown) noexcept:
    """Find the address that a reader sees: the one that a script loads later, the image's own, or the largest of a set.

    Of attributes that only some scripts know, any value counts that is plainly the address of an image.
    """
    cdef const Named *label = _named(shown, b"alt")
    cdef const Named *found = NULL
    cdef int number
    cdef bint is_dot = _is_dot(shown)
    if label != NULL:
        shown.label = label[0]
    for name in (b"data-src", b"data-lazy-src", b"data-original", b"data-lazy", b"data-lazyload", b"src"):
        found = _named(shown, name)
        if found != NULL and _is_address(found) and not (name == b"src" and (is_dot or _is_blank(found))):
            shown.target = found[0]
            return
    for number in range(shown.count):
        found = &shown.attributes[number]
        if _is_for_scripts(found) and _is_picture(found):
            shown.target = found[0]
            return
    if not _show_set(shown) and is_dot:
        shown.label.value = NULL


cdef inline bint _is_for_scripts(const Named *one) noexcept:
    """Return whether only a script knows an attribute: `data-...`, `...-src`, or `file` of a kind of boards."""
    cdef Py_ssize_t size = one.name_bytes
    return _is(one, b"file") or size > 5 and (not memcmp(one.name, b"data-", 5) or not memcmp(one.name + size - 4, b"-src", 4))


cdef inline bint _show_set(Shown *shown) noexcept:
    """Find the largest image of a set; return whether there is one."""
    for name in (b"data-srcset", b"data-lazy-srcset", b"srcset"):
        if _largest(_named(shown, name), &shown.target):
            return True
    return False


cdef inline bint _is_address(const Named *one) noexcept:
    """Return whether a value is an address, and neither the image itself nor a pattern of addresses."""
    return one.value_bytes > 0 and memchr(one.value, c"{", one.value_bytes) == NULL and not (
        one.value_bytes >= 5 and not memcmp(one.value, b"data:", 5)
    )


cdef inline bint _is_dot(const Shown *shown) noexcept:
    """Return whether an image is of one point at most, which shows nothing."""
    cdef const Named *width = _named(shown, b"width")
    cdef const Named *height = _named(shown, b"height")
    return width != NULL and height != NULL and (
        _number(width, 2) < 2 and _number(height, 2) < 2
    )


cdef inline const char *_end_of_path(const Named *one) noexcept:
    cdef Py_ssize_t at = 0
    while at < one.value_bytes and one.value[at] != c"?" and one.value[at] != c"#":
        at += 1
    return one.value + at


cdef inline bint _is_blank(const Named *one) noexcept:
    """Return whether the file of an image is named after its being blank."""
    cdef const char *end = _end_of_path(one)
    cdef const char *dot = end
    cdef const char *start
    while dot > one.value and dot[0] != c"." and dot[0] != c"/":
        dot -= 1
    if dot[0] != c".":
        return False
    start = dot
    while start > one.value and (start - 1)[0] != c"/":
        start -= 1
    cdef Named name = Named(start, dot - start, NULL, 0)
    for blank in (
        b"blank", b"spacer", b"transparent", b"placeholder", b"pixel", b"clear", b"1x1", b"lazy", b"lazyload",
        b"loading", b"loader", b"empty", b"dummy", b"grey", b"gray", b"trans", b"white", b"none",
    ):
        if _is(&name, blank):
            return True
    return False


cdef inline bint _is_picture(const Named *one) noexcept:
    """Return whether a value is plainly the address of an image: a path, and the ending of a picture's file."""
    cdef const char *end = _end_of_path(one)
    cdef const char *dot = end
    cdef Py_ssize_t at
    if not _is_address(one):
        return False
    while dot > one.value and dot[0] != c"." and end - dot < 6:
        dot -= 1
    if dot == one.value or dot == end or dot[0] != c".":
        return False
    for at in range(one.value_bytes):
        if <unsigned char>one.value[at] <= c" " or one.value[at] == c"," or one.value[at] == c"[":
            return False
    cdef Named ending = Named(dot + 1, end - dot - 1, NULL, 0)
    for known in (b"jpg", b"jpeg", b"png", b"webp", b"avif", b"gif", b"svg"):
        if _is(&ending, known):
            return not _is_blank(one)
    return False


cdef inline bint _largest(const Named *of_set, Named *found) noexcept:
    """Find the address of the largest image of a `srcset` (HTML standard, section 4.8.4.2.1)."""
    cdef Named one
    cdef double size, most = -1
    cdef const char *at
    cdef const char *end
    if of_set == NULL:
        return False
    at, end = of_set.value, of_set.value + of_set.value_bytes
    while at < end:
        while at < end and (<unsigned char>at[0] <= c" " or at[0] == c","):
            at += 1
        one = Named(NULL, 0, at, 0)
        while at < end and <unsigned char>at[0] > c" ":
            at += 1
        one.value_bytes = at - one.value
        size = 1
        if one.value_bytes and (at - 1)[0] == c",":
            while one.value_bytes and one.value[one.value_bytes - 1] == c",":
                one.value_bytes -= 1
        else:
            while at < end and at[0] != c",":
                if c"0" <= at[0] <= c"9" and (at - 1)[0] <= c" ":
                    size = _decimal(at, end)
                at += 1
        if size > most and _is_address(&one) and not _is_blank(&one):
            most, found[0] = size, one
    return most >= 0


cdef inline double _decimal(const char *at, const char *end) noexcept:
    cdef double value = 0, unit = 1
    cdef bint is_behind = False
    while at < end and (c"0" <= at[0] <= c"9" or (at[0] == c"." and not is_behind)):
        if at[0] == c".":
            is_behind = True
        elif is_behind:
            unit /= 10
            value += unit * (at[0] - c"0")
        else:
            value = 10 * value + at[0] - c"0"
        at += 1
    return value


# --- numbers --------------------------------------------------------------------------------


cdef inline void _show_numbers(Shown *shown, int traits) noexcept:
    """Write the numbers of an element that has other ones than most, see `Marks.label`."""
    cdef long long first, second
    cdef int size = 0
    if traits & SPANS:
        first = min(max(_number(_named(shown, b"colspan"), 1), <long long>1), <long long>COLUMNS_MAX)
        second = min(_number(_named(shown, b"rowspan"), 1), <long long>ROWS_MAX)
        second = second if second >= 0 else 1
        if first != 1 or second != 1:
            size = snprintf(shown.numbers, LABEL_BYTES, b"%lld %lld", first, second)
    else:
        first = _number(_named(shown, b"start" if traits & NUMBERS_LIST else b"value"), NUMBER_MAX)
        if -<long long>NUMBER_MAX < first < <long long>NUMBER_MAX:
            size = snprintf(shown.numbers, LABEL_BYTES, b"%lld", first)
        if traits & NUMBERS_LIST and _has(shown, b"reversed"):
            size += snprintf(shown.numbers + size, LABEL_BYTES - size, b" reversed")
    if size:
        shown.label = Named(NULL, 0, &shown.numbers[0], size)


cdef inline bint _has(const Shown *shown, const char *name) noexcept:
    cdef int number
    for number in range(shown.count):
        if _is(&shown.attributes[number], name):
            return True
    return False


cdef inline long long _number(const Named *one, long long otherwise) noexcept:
    """Return the whole number with which a value begins, by the rules of HTML; very large ones end at their bound."""
    cdef const char *at
    cdef const char *end
    cdef long long value = 0
    cdef bint is_negative
    if one == NULL:
        return otherwise
    at, end = one.value, one.value + one.value_bytes
    while at < end and <unsigned char>at[0] <= c" ":
        at += 1
    is_negative = at < end and at[0] == c"-"
    at += at < end and (at[0] == c"-" or at[0] == c"+")
    if at == end or not c"0" <= at[0] <= c"9":
        return otherwise
    while at < end and c"0" <= at[0] <= c"9":
        value = min(10 * value + at[0] - c"0", <long long>NUMBER_MAX)
        at += 1
    return -value if is_negative else value
