"""Compiled counting of the runs of words that pages share; see `new_text.py`. It needs no numpy, as its callers."""

from libc.stdint cimport uint8_t
from libc.string cimport memset

cdef uint8_t[65536] _COUNTS     # of the hash of each run; whoever counts holds the interpreter's lock


def recurring(pages, int least):
    """Return the hashes that enough pages share, in ascending order.

    Args:
        pages: The hashes of each page, two bytes each, each once.
        least: Pages that must share one, at most 255.
    """
    cdef const uint8_t[:] page
    cdef const uint8_t *byte
    cdef uint8_t *count
    cdef Py_ssize_t at
    cdef int number
    memset(_COUNTS, 0, sizeof(_COUNTS))
    found = bytearray()
    cdef uint8_t most = 0
    for one in pages:
        if not one:
            continue
        page = one
        byte = &page[0]
        for at in range(0, len(page) - 1, 2):
            count = &_COUNTS[byte[at] | byte[at + 1] << 8]
            count[0] += count[0] < 255
            most = max(most, count[0])
    if most >= least:
        for number in range(65536):
            if _COUNTS[number] >= least:
                found += (<object>number).to_bytes(2, "little")
    return bytes(found)


def without(one, hashes):
    """Return the hashes of a page without some others, all two bytes each."""
    if not hashes:
        return one
    cdef const uint8_t[:] page = one
    cdef const uint8_t[:] left_out = hashes
    cdef Py_ssize_t at
    memset(_COUNTS, 0, sizeof(_COUNTS))
    for at in range(0, len(left_out) - 1, 2):
        _COUNTS[left_out[at] | left_out[at + 1] << 8] = 1
    kept = bytearray()
    for at in range(0, len(page) - 1, 2):
        if not _COUNTS[page[at] | page[at + 1] << 8]:
            kept += one[at:at + 2]
    return bytes(kept)
