"""Reads and writes stored integer columns in one pass; see `columns.py` for their form and the errors' words.

Columns come from bytes at any address, so each value is copied out before it is compared. Every machine that
the package is built for stores numbers in little-endian order, as columns are.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from templ_core._arrays cimport items

import numpy as np

ctypedef fused stored:
    uint8_t
    uint16_t
    uint32_t

cdef struct Rule:
    # What a column of the form PACKED must be; the names are those of `columns.Column`.
    int64_t low
    int64_t high
    bint differences
    int64_t shift
    bint ascends
    bint strictly


cdef bint _unpack(
    const char *first, stored kind, int32_t *out, Py_ssize_t count, const Rule *rule
) noexcept:
    """Write the values, and return whether they are as declared."""
    cdef Py_ssize_t at
    cdef stored one
    cdef int64_t value, before = 0
    cdef bint is_right = True
    for at in range(count):
        memcpy(&one, first + at * sizeof(stored), sizeof(stored))
        value = one
        if rule.differences:
            value += before - rule.shift
        is_right &= rule.low <= value
        is_right &= value <= rule.high
        if rule.ascends and at:
            is_right &= before < value or (before == value and not rule.strictly)
        out[at] = <int32_t>value
        before = value
    return is_right


def packed_values(column, bytes body, int64_t high, int64_t shift, Py_ssize_t rows_max):
    """Return the values of a column of the form `PACKED` as 32-bit integers.

    Args:
        column: The `Column`.
        body: Its bytes.
        high: Largest value that is allowed, below 2**31.
        shift: What was added to each stored difference.
        rows_max: Most values that are read.

    Returns:
        The values, or None where they are not as declared.
    """
    cdef const char *stored_bytes = PyBytes_AsString(body)
    cdef Py_ssize_t size = PyBytes_Size(body) - 1, count
    cdef int width = stored_bytes[0]
    cdef bint is_right
    cdef Rule rule
    order = column.order
    rule.low, rule.high, rule.differences, rule.shift = column.low, high, column.differences, shift
    rule.ascends, rule.strictly = order != "any", order == "increasing"
    if size < 0 or (width != 1 and width != 2 and width != 4) or size % width:
        return None
    count = size // width
    if count > rows_max or rule.low < 0:
        return None
    values = np.empty(count, np.int32)
    cdef int32_t *out = <int32_t *>items(values, 4, True)
    if width == 1:
        is_right = _unpack[uint8_t](stored_bytes + 1, 0, out, count, &rule)
    elif width == 2:
        is_right = _unpack[uint16_t](stored_bytes + 1, 0, out, count, &rule)
    else:
        is_right = _unpack[uint32_t](stored_bytes + 1, 0, out, count, &rule)
    return values if is_right else None


# --- writing --------------------------------------------------------------------------------

ctypedef fused signed_number:
    int32_t
    int64_t

cdef inline int64_t _to_store(
    const signed_number *values, Py_ssize_t at, bint differences, int64_t shift
) noexcept nogil:
    if not differences:
        return values[at]
    return <int64_t>values[at] - (values[at - 1] if at else 0) + shift


cdef int64_t _largest(
    const signed_number *values, Py_ssize_t count, bint differences, int64_t shift
) noexcept nogil:
    """Return the largest value that is stored, at least 0."""
    cdef Py_ssize_t at
    cdef int64_t largest = 0, value
    for at in range(count):
        value = _to_store(values, at, differences, shift)
        largest = value if value > largest else largest
    return largest


cdef void _write(
    stored *out, const signed_number *values, Py_ssize_t count, bint differences, int64_t shift
) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(count):
        out[at] = <stored>_to_store(values, at, differences, shift)


cdef bytes _packed(const signed_number *values, Py_ssize_t count, bint differences, int64_t shift):
    cdef int64_t largest = _largest(values, count, differences, shift)
    cdef int width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    if largest >> 32:
        raise ValueError(f"a column of 4 bytes a value cannot hold {largest}")
    result = PyBytes_FromStringAndSize(NULL, 1 + count * width)
    cdef char *out = PyBytes_AsString(result)
    out[0] = <char>width
    if width == 1:
        _write(<uint8_t *>(out + 1), values, count, differences, shift)
    elif width == 2:
        _write(<uint16_t *>(out + 1), values, count, differences, shift)
    else:
        _write(<uint32_t *>(out + 1), values, count, differences, shift)
    return result


def packed(values):
    """Return non-negative integers in the form `PACKED`, each value as long as the largest one needs.

    Args:
        values: The integers, one-dimensional.

    Raises:
        ValueError: A value takes more than 4 bytes.
    """
    return _column(values, False, 0)


def packed_differences(values, int64_t shift=0):
    """Return the difference of each value from the one before, the first one from 0, as `packed` does.

    Args:
        values: Integers, one-dimensional.
        shift: What is added to each difference, so that none is negative.

    Raises:
        ValueError: A value that is stored takes more than 4 bytes.
    """
    return _column(values, True, shift)


cdef bytes _column(values, bint differences, int64_t shift):
    cdef bint is_narrow = values.dtype.char == "i"
    if not is_narrow or not values.flags.c_contiguous:
        values = np.ascontiguousarray(values, np.int32 if is_narrow else np.int64)
    if is_narrow:
        return _packed(<const int32_t *>items(values, 4), len(values), differences, shift)
    return _packed(<const int64_t *>items(values, 8), len(values), differences, shift)
