"""Writes stored integer columns; see `columns.py` for their form.

Every machine that the package is built for stores numbers in little-endian order, as columns are.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from templ_core._arrays cimport items

import numpy as np

ctypedef fused number:
    int32_t
    int64_t

ctypedef fused stored:
    uint8_t
    uint16_t
    uint32_t


cdef inline int64_t _to_store(
    const number *values, Py_ssize_t at, bint differences, int64_t shift
) noexcept nogil:
    if not differences:
        return values[at]
    return <int64_t>values[at] - (values[at - 1] if at else 0) + shift


cdef int64_t _largest(
    const number *values, Py_ssize_t count, bint differences, int64_t shift
) noexcept nogil:
    """Return the largest value that is stored, at least 0."""
    cdef Py_ssize_t at
    cdef int64_t largest = 0, value
    for at in range(count):
        value = _to_store(values, at, differences, shift)
        largest = value if value > largest else largest
    return largest


cdef void _write(
    stored *out, const number *values, Py_ssize_t count, bint differences, int64_t shift
) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(count):
        out[at] = <stored>_to_store(values, at, differences, shift)


cdef bytes _packed(const number *values, Py_ssize_t count, bint differences, int64_t shift):
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


def packed_column(values, bint differences, int64_t shift):
    """Return a column in the form `PACKED`.

    Args:
        values: The column, of integers, one-dimensional.
        differences: Whether the difference of each value from the one before is stored, of the first
            one from 0.
        shift: What is added to each difference.

    Raises:
        ValueError: A value that is stored takes more than 4 bytes.
    """
    cdef bint is_narrow = values.dtype.char == "i"
    if not is_narrow or not values.flags.c_contiguous:
        values = np.ascontiguousarray(values, np.int32 if is_narrow else np.int64)
    if is_narrow:
        return _packed(<const int32_t *>items(values, 4), len(values), differences, shift)
    return _packed(<const int64_t *>items(values, 8), len(values), differences, shift)
