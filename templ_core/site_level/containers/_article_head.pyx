"""The segment that says a page's title, see `templ_core.site_level.containers.article_head`."""

from libc.math cimport fabs, fmax, fmin
from libc.stdint cimport int32_t, int64_t, uint64_t

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS, HEADING


cdef struct Elements:
    const int32_t *parent
    const int32_t *element_type
    const uint64_t *element_types       # COLUMNS of each


def find_headline(
    words,
    words_of_segment,
    title,
    Py_ssize_t looked_for,
    owner,
    parent,
    element_type,
    element_types,
    Py_ssize_t text_start,
    *,
    double title_share,
    double covered_share,
    Py_ssize_t words_max,
    double per_level,
    double per_segment,
):
    """The segment that is most of a headline; -1 = none.

    Args:
        words: Hashes of the page's words.
        words_of_segment: Words of each segment.
        title: Hashes of the title's different words, at least one.
        looked_for: How many of them are looked for.
        owner: Node of each segment.
        parent: Of each node; negative = none.
        element_type: Of each node.
        element_types: `element_type_rows` of the page.
        text_start: First segment of the text.
        title_share: This share of a headline's words is in the title.
        covered_share: This share of the title's words is in a headline.
        words_max: Words of a headline.
        per_level: What it is worth to stand in a heading, and again in one of the highest level.
        per_segment: What each segment between headline and text costs.
    """
    cdef Py_ssize_t segment, place, word = 0, best = -1
    cdef const uint64_t *hash = <const uint64_t *>items(words, 8)
    cdef const int64_t *length = <const int64_t *>items(words_of_segment, 8)
    cdef const uint64_t *wanted = <const uint64_t *>items(title, 8)
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef Elements elements = Elements(
        <const int32_t *>items(parent, 4),
        <const int32_t *>items(element_type, 4),
        <const uint64_t *>items(element_types, 8),
    )
    cdef double covered, value, best_value = 0, title_words = len(title)
    cdef int64_t said
    cdef uint64_t some_bits = 0
    for place in range(looked_for):
        some_bits |= <uint64_t>1 << (wanted[place] & 63)
    for segment in range(len(words_of_segment)):
        said = 0
        for place in range(length[segment]):
            if some_bits >> (hash[word] & 63) & 1:
                said += _is_among(hash[word], wanted, looked_for)
            word += 1
        covered = fmin(said / title_words, 1)
        if (
            said < title_share * fmax(length[segment], 1)
            or covered < covered_share
            or length[segment] > words_max
        ):
            continue
        value = (
            covered
            + _level_around(owner_of[segment], &elements) * per_level
            - per_segment * fabs(<double>(segment - text_start))
        )
        if best < 0 or value > best_value:
            best, best_value = segment, value
    return best


cdef bint _is_among(uint64_t word, const uint64_t *title, Py_ssize_t looked_for) noexcept:
    cdef Py_ssize_t place
    for place in range(looked_for):
        if title[place] == word:
            return True
    return False


cdef int _level_around(int32_t node, const Elements *elements) noexcept:
    """1 inside a heading, 2 inside one of the highest level."""
    cdef int level = 0
    while node >= 0 and level < 2:
        level = max(level, <int>elements.element_types[elements.element_type[node] * COLUMNS + HEADING])
        node = elements.parent[node]
    return level
