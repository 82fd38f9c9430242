"""Compiled searches in bytes: control characters, valid UTF-8, windows without tags, stray end tags, shared letters."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcpy

from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    PIECE = 4096
    GRAM = 8                # letters that are looked up together
    GRAM_SLOTS = 1 << 16
    NAME_MAX = 32           # bytes of a tag's name that are compared


def controls_and_points(bytes body):
    """Look for control characters and count the code points of UTF-8.

    Args:
        body: Bytes of a page.

    Returns:
        Whether there is a control character besides tab, line feed and carriage return, and the
        number of code points; -1 for bytes that are not UTF-8 or have a control character.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(body)
    cdef const unsigned char *end = at + PyBytes_Size(body)
    cdef const unsigned char *piece_end
    cdef Py_ssize_t points = 0
    cdef bint is_utf8 = True
    cdef int found
    while at < end:
        piece_end = at + min(PIECE, end - at)
        found = _found_in(at, piece_end - at)
        if found & CONTROL:
            return True, -1
        if not found & BEYOND_ASCII:
            points += piece_end - at
            at = piece_end
        elif is_utf8:
            while at < piece_end:
                if piece_end - at >= sizeof(uint64_t) and not _is_beyond_ascii(at):
                    at += sizeof(uint64_t)
                    points += sizeof(uint64_t)
                    continue
                if not _after_point(&at, end):
                    is_utf8 = False
                    break
                points += 1
        if not is_utf8:
            at = piece_end
    return False, points if is_utf8 else -1


def windows_without_tags(bytes markup, Py_ssize_t size):
    """Return where the windows begin in which no tag begins or none ends.

    Args:
        markup: Bytes of markup; they are divided into windows that do not overlap.
        size: Bytes of each window.
    """
    cdef const char *at = PyBytes_AsString(markup)
    cdef Py_ssize_t start, here, length = PyBytes_Size(markup)
    cdef list found = []
    for start in range(0, length, size):
        here = min(size, length - start)
        if memchr(at + start, c"<", here) == NULL or memchr(at + start, c">", here) == NULL:
            found.append(start)
    return found


def stray_end_tag_steps(bytes markup, Py_ssize_t depth_max):
    """Return with how many open elements the parser compares the end tags of none of them, at most.

    Args:
        markup: Markup of a page, without comments and the content of scripts.
        depth_max: Largest number of elements that are open at once.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(markup)
    cdef const unsigned char *end = at + PyBytes_Size(markup)
    cdef Py_ssize_t is_open = 0, steps = 0, number
    cdef bint is_end_tag
    cdef Interner names
    cdef list open_by_name = []
    interner_begin(&names)
    try:
        while True:
            at = <const unsigned char *>memchr(at, c"<", end - at)
            if at == NULL or end - at < 3:
                return steps
            is_end_tag = at[1] == c"/"
            at += 1 + is_end_tag
            if not c"a" <= at[0] | 32 <= c"z":
                continue
            number = _number_of_name(&names, at, end)
            if number == len(open_by_name):
                open_by_name.append(0)
            if not is_end_tag:
                open_by_name[number] += 1
                is_open += 1
            elif open_by_name[number]:
                open_by_name[number] -= 1
                is_open -= 1
            else:
                steps += min(is_open, depth_max)
    finally:
        interner_end(&names)


def may_stand_in(str body, list texts, int edge_letters):
    """Return for each text whether its first (1) and its last letters (2) may stand in `body`, as bits.

    An end is refused only if eight ASCII letters or digits of it in a row are nowhere in the body.

    Args:
        body: Letters and digits only, in lower case.
        texts: Texts with any characters in either case.
        edge_letters: Letters and digits at each end of a text that count.
    """
    cdef Py_ssize_t size, number, place
    cdef const unsigned char *at = <const unsigned char *>PyUnicode_AsUTF8AndSize(body, &size)
    cdef unsigned char *seen = <unsigned char *>calloc(GRAM_SLOTS, 1)
    cdef list found = []
    if seen == NULL:
        raise MemoryError
    try:
        for place in range(size - GRAM + 1):
            seen[_gram_slot(at + place)] = 1
        for number in range(len(texts)):
            at = <const unsigned char *>PyUnicode_AsUTF8AndSize(texts[number], &size)
            found.append(
                <int>_may_begin(at, at + size, 1, edge_letters, seen)
                | <int>_may_begin(at + size - 1, at - 1, -1, edge_letters, seen) << 1
            )
        return found
    finally:
        free(seen)


cdef inline unsigned int _gram_slot(const unsigned char *letters) noexcept:
    cdef uint64_t gram
    memcpy(&gram, letters, GRAM)
    return gram * <uint64_t>0x9E3779B97F4A7C15 >> 48


cdef bint _may_begin(
    const unsigned char *at, const unsigned char *stop, int step, int most, const unsigned char *seen
) noexcept:
    """Return whether the first letters, at most `most`, read in steps of 1 or -1, are among those seen."""
    cdef unsigned char[GRAM] letters
    cdef unsigned char byte
    cdef int count = 0, place
    while at != stop and count < most:
        byte = at[0]
        at += step
        if byte >= 0x80:
            return True
        if c"A" <= byte <= c"Z":
            byte += 32
        if c"a" <= byte <= c"z" or c"0" <= byte <= c"9":
            place = count % GRAM
            letters[place if step > 0 else GRAM - 1 - place] = byte
            count += 1
            if place == GRAM - 1 and not seen[_gram_slot(letters)]:
                return False
    return True


cdef int _number_of_name(
    Interner *names, const unsigned char *at, const unsigned char *end
) except -1:
    cdef char[NAME_MAX] name
    cdef int size = 0
    while at < end and size < NAME_MAX and at[0] > c" " and at[0] != c"/" and at[0] != c">":
        name[size] = at[0] | 32 if at[0] < 0x80 else at[0]
        size += 1
        at += 1
    return interner_number(names, name, size)


cdef enum:
    CONTROL = 1
    BEYOND_ASCII = 0x80


cdef int _found_in(const unsigned char *at, Py_ssize_t size) noexcept nogil:
    cdef unsigned char all_bits = 0, controls = 0
    cdef unsigned char byte
    cdef Py_ssize_t place
    for place in range(size):
        byte = at[place]
        all_bits |= byte
        controls |= (
            (byte < 32) & (byte != 9) & (byte != 10) & (byte != 13) | (byte == 127)
        )
    return (CONTROL if controls else 0) | (all_bits & BEYOND_ASCII)


cdef inline bint _is_beyond_ascii(const unsigned char *at) noexcept nogil:
    """Return whether any of eight bytes is beyond ASCII."""
    cdef uint64_t eight
    memcpy(&eight, at, sizeof(eight))
    return eight & <uint64_t>0x8080808080808080 != 0


cdef inline bint _after_point(const unsigned char **at, const unsigned char *end) noexcept nogil:
    """Move `at` after the code point there; return False if there is no valid one."""
    cdef const unsigned char *byte = at[0]
    cdef unsigned char first = byte[0], second
    cdef int size
    if first < 0x80:
        at[0] = byte + 1
        return True
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if first < 0xC2 or first > 0xF4 or end - byte < size:
        return False
    second = byte[1]
    if (
        second & 0xC0 != 0x80
        or (first == 0xE0 and second < 0xA0)
        or (first == 0xED and second > 0x9F)
        or (first == 0xF0 and second < 0x90)
        or (first == 0xF4 and second > 0x8F)
        or (size > 2 and byte[2] & 0xC0 != 0x80)
        or (size > 3 and byte[3] & 0xC0 != 0x80)
    ):
        return False
    at[0] = byte + size
    return True
