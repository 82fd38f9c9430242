# Numbers of tokens, and the runs of tokens by which text that recurs is found.

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from templ_core._hashing cimport finalised

cdef enum:
    BREAK = 0           # as in `suffix_array.py`
    BORDER = 1          # likewise
    NUMBER = 2          # token of a word that may change
    FIRST_WORD = 3      # the smallest token of any other word


cdef inline bint is_seed(const uint16_t *token, int size, int every, uint32_t *key) noexcept:
    """Return whether the run of `size` tokens that starts here is sampled, as one of `every` is; set its key.

    A run is sampled by its own hash, so equal runs are sampled alike wherever they stand.
    """
    cdef uint64_t joined = 0
    cdef int changing = 0, place
    for place in range(size):
        joined = joined * <uint64_t>0x9E3779B97F4A7C15ULL + token[place]
        changing += token[place] == NUMBER
    joined = finalised(joined)
    key[0] = <uint32_t>joined
    return joined % every == 0 and changing <= 1
