"""Tells whether a stored column is as declared, in one pass; see `columns.py`, which words the errors.

Columns come from bytes at any address, so each value is copied out before it is compared.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer

import numpy as np

_LIMITS = {
    kind: (kind.islower(), int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in np.typecodes["AllInteger"]
}
"""Whether an integer type has a sign, its smallest and its largest value, by NumPy's letter."""

ctypedef fused number:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef bint _fits(
    const char *first, Py_ssize_t count, number low, number high, bint ascends, bint strictly
) noexcept:
    """Return whether all values are in range and, if they must be, in order."""
    cdef Py_ssize_t at
    cdef number value, before = 0
    cdef bint is_right = True
    for at in range(count):
        memcpy(&value, first + at * sizeof(number), sizeof(number))
        is_right &= low <= value
        is_right &= value <= high
        if ascends and at:
            is_right &= before < value or (before == value and not strictly)
        before = value
    return is_right


def is_as_declared(values, low, high, bint ascends, bint strictly):
    """Return whether a column is in range and in order.

    Args:
        values: The column, of integers in the machine's byte order.
        low: Smallest value that is allowed.
        high: Largest value that is allowed; None = no limit.
        ascends: Whether no value may be smaller than the one before.
        strictly: Whether each must be larger.
    """
    cdef Py_ssize_t size = values.itemsize, count = len(values)
    cdef bint signed, right
    signed, least, most = _LIMITS[values.dtype.char]
    if high is None or high > most:
        high = most
    if low < least:
        low = least
    if low > most or high < least:
        return count == 0
    cdef Py_buffer view
    PyObject_GetBuffer(values, &view, PyBUF_SIMPLE)
    cdef const char *first = <const char *>view.buf
    if signed and size == 8:
        right = _fits[int64_t](first, count, low, high, ascends, strictly)
    elif signed and size == 4:
        right = _fits[int32_t](first, count, low, high, ascends, strictly)
    elif signed and size == 2:
        right = _fits[int16_t](first, count, low, high, ascends, strictly)
    elif signed:
        right = _fits[int8_t](first, count, low, high, ascends, strictly)
    elif size == 8:
        right = _fits[uint64_t](first, count, low, high, ascends, strictly)
    elif size == 4:
        right = _fits[uint32_t](first, count, low, high, ascends, strictly)
    elif size == 2:
        right = _fits[uint16_t](first, count, low, high, ascends, strictly)
    else:
        right = _fits[uint8_t](first, count, low, high, ascends, strictly)
    PyBuffer_Release(&view)
    return right
