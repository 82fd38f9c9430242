"""Finds the headline of a page, see `templ_core.site_level.containers.headline`."""

from libc.math cimport fmax, fmin
from libc.stdint cimport int32_t, int64_t, uint64_t

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS, HEADING


cdef struct Elements:
    const int32_t *parent
    const int32_t *element_type
    const uint64_t *element_types       # rows of COLUMNS values


def find_headline(document, words, element_types, title, Py_ssize_t title_words, config):
    """Return the segment with the highest score as a headline; -1 if none can be one.

    One in a heading goes before others, one in `h1` before that, and then the one that covers more of the title.

    Args:
        document: A `Document`.
        words: The `Words` of its segments.
        element_types: The `element_type_rows` of the page.
        title: Hashes of the title's different words that are looked for.
        title_words: How many different words the title has, at least 1.
        config: A `ContainersConfig`.
    """
    nodes = document.nodes
    cdef Py_ssize_t segment, place, word = 0, best = -1, looked_for = len(title)
    cdef const uint64_t *hash = <const uint64_t *>items(words.hashes, 8)
    cdef const int64_t *length = <const int64_t *>items(words.per_segment, 8)
    cdef const uint64_t *wanted = <const uint64_t *>items(title, 8)
    cdef const int32_t *owner_of = <const int32_t *>items(document.segments.owner, 4)
    cdef Elements elements = Elements(
        <const int32_t *>items(nodes.parent, 4),
        <const int32_t *>items(nodes.element_type, 4),
        <const uint64_t *>items(element_types, 8),
    )
    cdef double title_share_min = config.title_share_min
    cdef double title_coverage_min = config.title_coverage_min
    cdef double covered, value, best_value = 0
    cdef int64_t said
    cdef uint64_t some_bits = 0
    for place in range(looked_for):
        some_bits |= <uint64_t>1 << (wanted[place] & 63)
    for segment in range(len(words.per_segment)):
        said = 0
        for place in range(length[segment]):
            if some_bits >> (hash[word] & 63) & 1:
                said += _is_among(hash[word], wanted, looked_for)
            word += 1
        covered = fmin(said / <double>title_words, 1)
        if said < title_share_min * fmax(length[segment], 1) or covered < title_coverage_min:
            continue
        value = covered + _level_around(owner_of[segment], &elements)
        if best < 0 or value > best_value:
            best, best_value = segment, value
    return best


cdef bint _is_among(uint64_t word, const uint64_t *title, Py_ssize_t looked_for) noexcept:
    """Return whether a word is among those of the title that are looked for."""
    cdef Py_ssize_t place
    for place in range(looked_for):
        if title[place] == word:
            return True
    return False


cdef int _level_around(int32_t node, const Elements *elements) noexcept:
    """Return 2 for a node inside `h1`, 1 inside another heading, else 0."""
    cdef int level = 0
    while node >= 0 and level < 2:
        level = max(level, <int>elements.element_types[elements.element_type[node] * COLUMNS + HEADING])
        node = elements.parent[node]
    return level
